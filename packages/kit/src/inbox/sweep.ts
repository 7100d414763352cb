import type { Sql } from '../db/index.ts';
import { createLoop } from '../jobs/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';

const BATCH = 1_000;
const EVERY_MS = 600_000;

/** Longer than any message can come again: outboxes and queues that stand still for a week have an operator. */
const SWEEP = `
  DELETE FROM inbox
  WHERE (consumer, message_id) IN (
    SELECT consumer, message_id FROM inbox
    WHERE at < clock_timestamp() - interval '7 days'
    ORDER BY at LIMIT $1 FOR UPDATE SKIP LOCKED
  )`;

/** Forgets messages that were handled more than 7 days ago, a batch at a time, in every process that asks for it. */
export function createInboxSweep({
  sql,
  log,
  lifecycle,
}: {
  sql: Sql;
  log: Log;
  lifecycle: Lifecycle;
}): void {
  createLoop({
    name: 'inbox sweep',
    everyMs: EVERY_MS,
    run: async () => (await sweepInbox(sql)) === BATCH,
    log,
    lifecycle,
  });
}

/** One batch; resolves to the number of rows that went. */
export async function sweepInbox(sql: Sql): Promise<number> {
  return sql.$executeRawUnsafe(SWEEP, BATCH);
}
