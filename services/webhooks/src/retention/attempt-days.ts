import { queryRows, raw, type SqlClient, sql, type Transactional, transaction } from '@parley/kit/db';
import { z } from 'zod';

// The partitions of `attempts`, one per day (UTC) of the stack's clock, in a schema of their own: `d20261122`.

const DAY_MS = 86_400_000;

type Client = SqlClient & Transactional<SqlClient>;

const nameOf = (day: Date): string => `d${day.toISOString().slice(0, 10).replaceAll('-', '')}`;

const daysOf = (from: Date, to: Date): Date[] => {
  const first = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  const count = Math.floor((to.getTime() - first) / DAY_MS) + 1;
  return Array.from({ length: count }, (_, index) => new Date(first + index * DAY_MS));
};

/** Creates the partitions that are missing. Attaching one blocks neither reads nor writes of the others. */
export async function makeAttemptDays(client: Client, from: Date, to: Date): Promise<void> {
  await transaction(client, async (tx) => {
    // Serializes replicas.
    await tx.$queryRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended('webhooks.attempt-days', 0))::text`);
    const existing = new Set(await listDays(tx));
    for (const day of daysOf(from, to).filter((one) => !existing.has(nameOf(one)))) {
      const table = raw(`attempts_by_day.${nameOf(day)}`);
      const range = raw(`'${day.toISOString()}') TO ('${new Date(day.getTime() + DAY_MS).toISOString()}'`);
      await tx.$executeRaw(
        sql`CREATE TABLE ${table} (LIKE attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
      );
      await tx.$executeRaw(sql`ALTER TABLE attempts ATTACH PARTITION ${table} FOR VALUES FROM (${range})`);
    }
  });
}

/** Drops the partitions of days that ended before `keepFrom`. */
export async function dropAttemptDays(client: Client, keepFrom: Date): Promise<void> {
  const old = (await listDays(client)).filter((name) => name < nameOf(keepFrom));
  for (const name of old) {
    await transaction(client, async (tx) => {
      // Attempts must not wait long behind a drop that itself waits for its lock.
      await tx.$executeRaw(sql`SET LOCAL lock_timeout = '1s'`);
      await tx.$executeRaw(sql`DROP TABLE IF EXISTS ${raw(`attempts_by_day.${name}`)}`);
    });
  }
}

const dayRow = z.object({ name: z.string() });

async function listDays(client: SqlClient): Promise<string[]> {
  const rows = await queryRows(
    client,
    dayRow,
    sql`SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'attempts'::regclass ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}
