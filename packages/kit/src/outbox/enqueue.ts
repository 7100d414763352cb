import {
  MAX_MESSAGE_BYTES,
  type MessageData,
  type MessageReference,
  type MessageType,
  type PublisherName,
} from '@parley/contracts';
import { type SqlClient, type Statement, sql } from '../db/index.ts';
import { newId } from '../ids/index.ts';
import { traceHeaders } from '../observability/index.ts';
import { toIsoMillis } from '../time/index.ts';

/** A message before it is wrapped in its envelope. */
export type NewMessage<T extends MessageType = MessageType> = {
  [K in T]: {
    type: K;
    workspaceId: string;
    /** When the event happened, from the `Clock`. */
    occurredAt: Date;
    data: MessageData<K>;
    /** The id of the request that caused it, if any. */
    requestId?: string | undefined;
    /** The id by which consumers recognize a repetition; a new one by default. */
    id?: string | undefined;
    /** Its trace context, by default the current one; null for none. */
    traceparent?: string | null | undefined;
  };
}[T];

/** Transactions with messages: their commit wakes the relay. */
const enqueued = new WeakSet<SqlClient>();

/** Types whose messages may be too large for the broker, and the service that serves their content. */
const LARGE: Partial<Record<MessageType, PublisherName>> = { 'call.analyzed': 'telephony' };

/**
 * Writes messages to the outbox in the transaction of their change, with one INSERT for all of them. A message that is too large for the
 * broker is published as a reference, and consumers read its content from `outbox_contents` [trust.4].
 */
export async function enqueue(tx: SqlClient, messages: NewMessage | NewMessage[]): Promise<void> {
  const rows = [messages].flat().map((message) => {
    const id = message.id ?? newId();
    return { id, message, payload: envelope(id, message) };
  });
  if (rows.length === 0) return;
  const large = rows.filter(({ payload }) => isTooLarge(payload));
  if (large.length > 0) await insertContents(tx, large);
  enqueued.add(tx);
  const current = traceHeaders().traceparent ?? null;
  const payloads = rows.map(({ id, message, payload }) =>
    isTooLarge(payload) ? reference(id, message, payload) : payload,
  );
  await tx.$executeRaw(sql`
    INSERT INTO outbox (message_id, type, workspace_id, payload, traceparent)
    SELECT message_id::uuid, type, workspace_id::uuid, payload, traceparent
    FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ message }) => message.type)}::text[],
      ${rows.map(({ message }) => message.workspaceId)}::text[], ${payloads}::text[],
      ${rows.map(({ message: { traceparent = current } }) => traceparent)}::text[])
      AS m (message_id, type, workspace_id, payload, traceparent)`);
}

/**
 * The INSERT of messages for a statement that decides itself what to publish, as one of its `WITH` clauses: of each message whose `of` is
 * in `published`, in their order. Outside of a transaction, call `wake` of the outbox after the statement.
 */
export function messagesOf(
  tx: SqlClient,
  messages: readonly { of: string; message: NewMessage }[],
  published: Statement,
): Statement {
  const rows = messages.map(({ of, message }) => {
    const id = message.id ?? newId();
    const payload = envelope(id, message);
    if (isTooLarge(payload)) throw tooLarge(message);
    return { of, id, message, payload };
  });
  if (rows.length > 0) enqueued.add(tx);
  const current = traceHeaders().traceparent ?? null;
  return sql`
    INSERT INTO outbox (message_id, type, workspace_id, payload, traceparent)
    SELECT message_id::uuid, type, workspace_id::uuid, payload, traceparent
    FROM unnest(${rows.map(({ of }) => of)}::text[], ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ message }) => message.type)}::text[], ${rows.map(({ message }) => message.workspaceId)}::text[],
      ${rows.map(({ payload }) => payload)}::text[],
      ${rows.map(({ message: { traceparent = current } }) => traceparent)}::text[])
      WITH ORDINALITY AS m (subject, message_id, type, workspace_id, payload, traceparent, n)
    WHERE subject::uuid IN (${published}) ORDER BY n`;
}

type Row = { id: string; message: NewMessage; payload: string };

/** A UTF-16 unit has at most three bytes in UTF-8. */
function isTooLarge(payload: string): boolean {
  return payload.length > MAX_MESSAGE_BYTES / 3 && Buffer.byteLength(payload) > MAX_MESSAGE_BYTES;
}

async function insertContents(tx: SqlClient, rows: readonly Row[]): Promise<void> {
  await tx.$executeRaw(sql`
    INSERT INTO outbox_contents (message_id, workspace_id, payload)
    SELECT message_id::uuid, workspace_id::uuid, payload
    FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ message }) => message.workspaceId)}::text[],
      ${rows.map(({ payload }) => payload)}::text[]) AS c (message_id, workspace_id, payload)
    ON CONFLICT (message_id) DO NOTHING`);
}

function reference(id: string, message: NewMessage, payload: string): string {
  const service = LARGE[message.type];
  if (!service) throw tooLarge(message);
  const { type, occurredAt, workspaceId, requestId } = message;
  return JSON.stringify({
    id,
    type,
    occurred_at: toIsoMillis(occurredAt),
    workspace_id: workspaceId,
    request_id: requestId,
    content: { service, bytes: Buffer.byteLength(payload) },
  } satisfies MessageReference);
}

const tooLarge = ({ type }: NewMessage): Error =>
  new Error(`A message of type ${type} must have at most ${MAX_MESSAGE_BYTES} bytes`);

export function hasEnqueued(tx: SqlClient): boolean {
  return enqueued.has(tx);
}

function envelope(id: string, { type, occurredAt, workspaceId, requestId, data }: NewMessage): string {
  return JSON.stringify({
    id,
    type,
    occurred_at: toIsoMillis(occurredAt),
    workspace_id: workspaceId,
    request_id: requestId,
    data,
  });
}
