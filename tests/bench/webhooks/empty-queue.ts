import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlClient } from '@parley/testkit';

const WITHIN_MS = 180_000;

/**
 * Waits until nothing is left to deliver, so that each load starts with an empty queue. Events for hanging endpoints, which would
 * be retried for a day, are deleted.
 */
export async function emptyQueue(sql: SqlClient): Promise<void> {
  await sql.$executeRaw`DELETE FROM events e USING endpoints p
     WHERE p.agent_id = e.agent_id AND p.url LIKE '%/hangs' AND e.status = 'pending'`;
  const giveUpMs = performance.now() + WITHIN_MS;
  for (;;) {
    const [row] = await sql.$queryRaw<
      { pending: number }[]
    >`SELECT count(*)::int AS pending FROM events WHERE status = 'pending'`;
    const pending = row?.pending ?? 0;
    if (pending === 0) return;
    if (performance.now() > giveUpMs)
      throw new Error(`${pending} events are still pending after ${WITHIN_MS / 1000} s`);
    await sleep(200);
  }
}
