import type { MessageData, MessageType } from '@parley/contracts';
import type { Sql } from '../db/index.ts';
import { newId } from '../ids/index.ts';
import { traceHeaders } from '../observability/index.ts';
import { toIsoMillis } from '../time/index.ts';

/** A message of its type, before it has its envelope. */
export type NewMessage<T extends MessageType = MessageType> = {
  [K in T]: {
    type: K;
    workspaceId: string;
    /** When the fact came about, from the `Clock`. */
    occurredAt: Date;
    data: MessageData<K>;
    /** The request that caused it, where there was one. */
    requestId?: string | undefined;
    /** The idempotency key of its consumers; a new one by default. */
    id?: string | undefined;
    /** The trace that it is a part of, where that isn't the one that enqueues it; null: of none. */
    traceparent?: string | null | undefined;
  };
}[T];

/** Transactions that have something to say: their commit wakes the relay. */
const speaking = new WeakSet<Sql>();

/** Writes messages to the outbox, in the transaction of the change that they tell of; one INSERT for all of them. */
export async function enqueue(tx: Sql, messages: NewMessage | NewMessage[]): Promise<void> {
  const rows = [messages].flat().map((message) => ({ id: message.id ?? newId(), message }));
  if (rows.length === 0) return;
  speaking.add(tx);
  const current = traceHeaders().traceparent ?? null;
  await tx.$executeRawUnsafe(
    `INSERT INTO outbox (message_id, type, workspace_id, payload, traceparent)
     SELECT message_id::uuid, type, workspace_id::uuid, payload, traceparent
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
       AS m (message_id, type, workspace_id, payload, traceparent)`,
    rows.map(({ id }) => id),
    rows.map(({ message }) => message.type),
    rows.map(({ message }) => message.workspaceId),
    rows.map(({ id, message }) => envelope(id, message)),
    rows.map(({ message: { traceparent = current } }) => traceparent),
  );
}

export function hasEnqueued(tx: Sql): boolean {
  return speaking.has(tx);
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
