import { sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { dropAttemptDays, makeAttemptDays } from './attempt-days.ts';

const DAY_MS = 86_400_000;
const BATCH = 1_000;
/** How far ahead partitions exist, in addition to the time until the next run. */
const AHEAD_DAYS = 3;

/**
 * Each query locks and plans over every partition: with 1,100 days, ten queries at once exhaust the lock table of Postgres with its default
 * settings.
 */
const MAX_ATTEMPTS_DAYS = 400;

/** In days. A workspace's own retention replaces both [trust.21]. */
export type Keep = { attemptsDays: number; eventsDays: number };

/**
 * Creates the partitions of coming days and removes data older than `keep`, by the stack's clock, in every replica. An event
 * outlives its attempts: it still shows its result and can be resent. Returns whether there is more to remove.
 */
export async function cleanUp(
  { prisma, clock }: { prisma: PrismaClient; clock: Pick<Clock, 'now' | 'rate'> },
  { keep, everyMs }: { keep: Keep; everyMs: number },
): Promise<boolean> {
  const now = clock.now();
  const inDays = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
  const untilNextRun = (2 * everyMs * clock.rate) / DAY_MS;
  await makeAttemptDays(prisma, now, inDays(AHEAD_DAYS + untilNextRun));
  // A day is dropped when no workspace retains it; until then the attempts of the others are deleted one by one.
  const { _max } = await prisma.retention.aggregate({ _max: { attempts: true } });
  const maxDays = Math.min(MAX_ATTEMPTS_DAYS, Math.max(keep.attemptsDays, _max.attempts ?? 0));
  await dropAttemptDays(prisma, inDays(-maxDays));
  const moreAttempts =
    maxDays > keep.attemptsDays && (await deleteAttempts(prisma, inDays(-keep.attemptsDays)));
  return (await deleteEvents(prisma, inDays(-keep.eventsDays))) || moreAttempts;
}

/** Deletes a batch of attempts of workspaces without a retention of their own. */
async function deleteAttempts(prisma: PrismaClient, before: Date): Promise<boolean> {
  const deleted = await prisma.$executeRaw(sql`
    DELETE FROM attempts WHERE (event_id, series, attempt, started_at) IN (
      SELECT event_id, series, attempt, started_at FROM attempts a
      WHERE started_at < ${before}::timestamptz
        AND NOT EXISTS (SELECT FROM retention r WHERE r.workspace_id = a.workspace_id AND r.attempts IS NOT NULL)
      LIMIT ${BATCH})`);
  return deleted === BATCH;
}

/**
 * Deletes a batch of finished events of workspaces without a retention of their own. Ids grow with time, so the oldest are
 * the first of the primary key.
 */
async function deleteEvents(prisma: PrismaClient, before: Date): Promise<boolean> {
  const deleted = await prisma.$executeRaw(sql`
    DELETE FROM events WHERE id = ANY (ARRAY (
      SELECT id FROM events
      WHERE id = ANY (ARRAY (
          SELECT id FROM events e
          WHERE NOT EXISTS (SELECT FROM retention r WHERE r.workspace_id = e.workspace_id AND r.attempts IS NOT NULL)
          ORDER BY id LIMIT ${BATCH}))
        AND created_at < ${before}::timestamptz AND status <> 'pending'
      FOR UPDATE SKIP LOCKED
    ))`);
  return deleted > 0;
}
