import { type Sql, transaction } from '@parley/kit/db';
import type { PrismaClient } from '../generated/prisma/client.ts';

// The partitions of `attempts`, one for each day (UTC) of the stack's clock, in a schema of their own: `d20261122`.

const DAY_MS = 86_400_000;
/** Nobody's attempt waits longer for a day that is dropped. */
const LOCK_TIMEOUT = `SET LOCAL lock_timeout = '1s'`;
/** Replicas make and drop days one after the other. */
const TAKE_TURN = `SELECT pg_advisory_xact_lock(hashtextextended('webhooks.attempt-days', 0))::text`;

const nameOf = (day: Date): string => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

const startOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

const daysOf = (from: Date, to: Date): Date[] => {
  const first = startOf(from).getTime();
  const count = Math.floor((to.getTime() - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS));
};

/** Makes the days that are missing. Attaching one holds up nobody who reads or writes the others. */
export async function makeAttemptDays(prisma: PrismaClient, from: Date, to: Date): Promise<void> {
  await transaction(prisma, async (tx) => {
    await tx.$queryRawUnsafe(TAKE_TURN);
    const known = new Set(await listDays(tx));
    for (const day of daysOf(from, to).filter((one) => !known.has(nameOf(one)))) {
      const table = `attempts_by_day.${nameOf(day)}`;
      const next = new Date(day.getTime() + DAY_MS);
      await tx.$executeRawUnsafe(
        `CREATE TABLE ${table} (LIKE attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
      );
      await tx.$executeRawUnsafe(
        `ALTER TABLE attempts ATTACH PARTITION ${table}
         FOR VALUES FROM ('${day.toISOString()}') TO ('${next.toISOString()}')`,
      );
    }
  });
}

/** Drops the days that ended before `keepFrom`, whole; gives their names. */
export async function dropAttemptDays(prisma: PrismaClient, keepFrom: Date): Promise<string[]> {
  const days = await listDays(prisma);
  const old = days.filter((name) => name < nameOf(keepFrom));
  for (const name of old) {
    await transaction(prisma, async (tx) => {
      await tx.$executeRawUnsafe(LOCK_TIMEOUT);
      await tx.$executeRawUnsafe(`DROP TABLE IF EXISTS attempts_by_day.${name}`);
    });
  }
  return old;
}

async function listDays(sql: Sql): Promise<string[]> {
  const rows = await sql.$queryRawUnsafe<{ name: string }[]>(
    `SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'attempts'::regclass ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}
