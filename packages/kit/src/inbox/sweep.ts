import { createJobLoop } from '../concurrency/index.ts';
import { type SqlClient, sql } from '../db/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';

const BATCH = 1_000;
const EVERY_MS = 600_000;

/** Deletes the records of messages that were handled more than 7 days ago. No message is redelivered after that. */
export function createInboxSweep({
  sql: client,
  log,
  lifecycle,
}: {
  sql: SqlClient;
  log: Log;
  lifecycle: Lifecycle;
}): void {
  createJobLoop({
    name: 'inbox sweep',
    everyMs: EVERY_MS,
    run: async () => (await sweepInbox(client)) === BATCH,
    log,
    lifecycle,
  });
}

/** One batch; returns the number of deleted rows. */
export async function sweepInbox(client: SqlClient): Promise<number> {
  return client.$executeRaw(sql`
    DELETE FROM inbox WHERE (consumer, message_id) IN (
      SELECT consumer, message_id FROM inbox
      WHERE at < clock_timestamp() - interval '7 days'
      ORDER BY at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`);
}
