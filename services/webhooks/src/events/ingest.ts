import { createBatcher } from '@parley/kit/concurrency';
import { type DedicatedConnection, queryRows, type SqlClient, sql } from '@parley/kit/db';
import { onceEach } from '@parley/kit/inbox';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import { inTransaction } from '../database.ts';
import { addEvents, lockCalls, supersedeOlder } from './events.store.ts';
import type { NewEvent } from './make-event.ts';

export type IncomingMessage = {
  messageId: string;
  /** The assistant's URL as of this message; stored only if its version is newer than the stored one. */
  endpoint: { agentId: string; workspaceId: string; version: number; url: string | null };
  /** Null: the message is about the assistant only. */
  event: NewEvent | null;
};

/** Stores a message. False: it was stored before. */
export type Ingest = (message: IncomingMessage) => Promise<boolean>;

const CONSUMER = 'webhooks';

/**
 * Stores messages in batches: those that arrive during a transaction share the next one, so that a burst of messages costs few
 * commits. The messages of a failed batch are stored one by one.
 */
export function createIngest(connection: DedicatedConnection, clock: Clock): Ingest {
  return createBatcher((messages: IncomingMessage[]) =>
    inTransaction(connection, (tx) => ingestAll(tx, messages, clock.now())),
  );
}

async function ingestAll(tx: SqlClient, messages: IncomingMessage[], now: Date): Promise<boolean[]> {
  const ids = messages.map(({ messageId }) => messageId);
  const isNew = await onceEach(tx, CONSUMER, ids);
  const unseen = messages.filter((_, index) => isNew[index]);
  if (unseen.length === 0) return isNew;
  const events = unseen.flatMap(({ event }) => event ?? []);
  const kept = events.length === 0 ? [] : await withoutErasedCalls(tx, events);
  await storeEndpoints(
    tx,
    unseen.map(({ endpoint }) => endpoint),
  );
  for (const round of oneEditionPerRound(kept)) {
    await supersedeOlder(tx, round);
    await addEvents(tx, round, now);
  }
  return isNew;
}

const erasedRow = z.object({ id: z.string() });

/** Locks the calls and skips erased ones [trust.19], whose messages may still arrive. */
async function withoutErasedCalls(tx: SqlClient, events: NewEvent[]): Promise<NewEvent[]> {
  const callIds = events.map(({ callId }) => callId);
  await lockCalls(tx, callIds);
  const rows = await queryRows(
    tx,
    erasedRow,
    sql`SELECT call_id::text AS id FROM removal_calls WHERE call_id = ANY (${callIds}::uuid[])`,
  );
  const erased = new Set(rows.map(({ id }) => id));
  return events.filter(({ callId }) => !erased.has(callId.toLowerCase()));
}

/** Several editions of one event in a batch are written one after the other, as if they were in separate batches. */
function oneEditionPerRound(events: readonly NewEvent[]): NewEvent[][] {
  const rounds: NewEvent[][] = [];
  const seen = new Map<string, number>();
  for (const event of events) {
    const key = `${event.callId} ${event.event}`;
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    rounds[round] = [...(rounds[round] ?? []), event];
  }
  return rounds;
}

/**
 * Skips rows that are up to date: a conflict locks the row until the commit, and calls of one assistant would wait for each
 * other. Writes in the order of the ids, so that two transactions can't deadlock.
 */
async function storeEndpoints(
  tx: SqlClient,
  endpoints: readonly IncomingMessage['endpoint'][],
): Promise<void> {
  await tx.$executeRaw(sql`
    INSERT INTO endpoints (agent_id, workspace_id, version, url)
    SELECT DISTINCT ON (agent_id) agent_id, workspace_id, version, url
    FROM unnest(
      ${endpoints.map(({ agentId }) => agentId)}::uuid[], ${endpoints.map(({ workspaceId }) => workspaceId)}::uuid[],
      ${endpoints.map(({ version }) => version)}::int[], ${endpoints.map(({ url }) => url)}::text[]
    ) AS given (agent_id, workspace_id, version, url)
    WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.agent_id = given.agent_id AND e.version >= given.version)
    ORDER BY agent_id, version DESC
    ON CONFLICT (agent_id) DO UPDATE SET version = excluded.version, url = excluded.url, unresponsive = false
    WHERE endpoints.version < excluded.version`);
}
