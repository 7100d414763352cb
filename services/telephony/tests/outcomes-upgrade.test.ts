import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DISCONNECTION_REASONS } from '@parley/contracts';
import { migrate } from '@parley/kit/migrations';
import { realSleep } from '@parley/kit/time';
import { kitDatabase, type SqlClient, sqlClient } from '@parley/testkit';
import fc from 'fast-check';
import { createAnalytics } from '../src/analytics/analytics.store.ts';
import { countCalls } from '../src/analytics/count-calls.store.ts';
import { addCalls, newCall, type RawCall } from './raw-calls.ts';
import { LIVE, seedCall } from './seed-call.ts';

/** The first migration of the version with `uncounted_outcomes`. */
const UPGRADE = '20261129130000_uncounted_outcomes';
const MIGRATIONS = join(import.meta.dirname, '../prisma/migrations');
const FROM_MS = Date.parse('2026-03-14T00:00:00Z');
const TO_MS = FROM_MS + 2 * 86_400_000;

let before: string;
beforeAll(async () => {
  before = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
  const isOlder = (source: string) => !/^\d{14}_/.test(basename(source)) || basename(source) < UPGRADE;
  await cp(MIGRATIONS, before, { recursive: true, filter: isOlder });
});
afterAll(() => rm(before, { recursive: true }));

const workspaces = [randomUUID(), randomUUID()];
const [agents, campaigns] = [
  [randomUUID(), randomUUID()],
  [null, randomUUID()],
];
const anyCall = fc
  .record({
    workspace: fc.constantFrom(...workspaces),
    createdMs: fc.integer({ min: FROM_MS, max: TO_MS - 1 }),
    agent: fc.constantFrom(...agents),
    campaign: fc.constantFrom(...campaigns),
    reason: fc.constantFrom(...DISCONNECTION_REASONS),
    duration: fc.integer({ min: 0, max: 900 }),
    cost: fc.integer({ min: 0, max: 90 }),
  })
  .map(({ workspace, ...call }) => ({ workspace, call: newCall(call) }));
type Placed = { workspace: string; call: RawCall };

/** What the version before does with noted calls; what it adds to the other rollups does not matter here. */
const countAsBefore = (sql: SqlClient) =>
  sql.$executeRaw`DELETE FROM uncounted_calls WHERE call_id = ANY (ARRAY (
    SELECT call_id FROM uncounted_calls LIMIT 20 FOR UPDATE SKIP LOCKED))`;

const begin = (sql: SqlClient, { workspace, call }: Placed) =>
  seedCall(sql, workspace, {
    ...LIVE,
    ...{ id: call.id, agent_id: call.agent, campaign_id: call.campaign, call_type: call.type },
    created_at: new Date(call.createdMs),
  });

/** Ends a call in a transaction that lasts until `hold` has resolved. */
const end = (sql: SqlClient, { call }: Placed, hold: () => Promise<void>) =>
  sql.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(), duration = ${call.duration},
      cost = ${call.cost}, disconnection_reason = ${call.reason} WHERE id = ${call.id}::uuid`;
    await hold();
  });

const expected = (calls: readonly Placed[], workspace: string) => {
  const sums = new Map<string, { calls: number; duration: number; cost: number }>();
  for (const { call } of calls.filter((placed) => placed.workspace === workspace)) {
    const { calls: count, duration, cost } = sums.get(call.reason) ?? { calls: 0, duration: 0, cost: 0 };
    sums.set(call.reason, {
      calls: count + 1,
      duration: duration + call.duration,
      cost: cost + call.cost,
    });
  }
  return sums;
};

async function expectExact(sql: SqlClient, calls: readonly Placed[]): Promise<void> {
  for (const workspace of workspaces) {
    const buckets = [{ key: '', fromMs: FROM_MS, toMs: TO_MS }];
    const query = { groupBy: 'outcome' as const, buckets, filters: {}, limit: 100 };
    const { groups } = await createAnalytics(sql).sum(workspace, query);
    const found = groups.map(({ key, calls, duration, cost }) => [key, { calls, duration, cost }] as const);
    expect(new Map(found)).toEqual(expected(calls, workspace));
  }
}

it.each([1, 2, 3])(
  'after an upgrade figures by outcome equal a count over all calls, of before and meanwhile; seed %d [analytics.3] [analytics.6]',
  async (seed) => {
    const database = await kitDatabase();
    const sql = sqlClient(database.url);
    try {
      await migrate({ databaseUrl: database.url, dir: before });
      const placed = fc.sample(anyCall, { numRuns: 800, seed });
      const [former, live, later] = [placed.slice(0, 500), placed.slice(500, 650), placed.slice(650, 799)];
      const lasting = placed.slice(799);
      for (const workspace of workspaces)
        await addCalls(
          sql,
          workspace,
          former.flatMap((one) => (one.workspace === workspace ? [one.call] : [])),
        );
      for (const one of [...live, ...lasting]) await begin(sql, one);
      for (let n = 0; n < 10; n += 1) await countAsBefore(sql);

      let isOver = false;
      const versionBefore = async (): Promise<void> => {
        while (!isOver) {
          await countAsBefore(sql);
          await realSleep(5);
        }
      };
      const ending = async (): Promise<void> => {
        for (const [n, one] of [...live, ...later].entries()) {
          if (n >= live.length) await begin(sql, one);
          await end(sql, one, () => realSleep(n % 4));
        }
      };
      const dies = async (): Promise<void> => {
        const dying = sql.$transaction(async (tx) => {
          await countCalls(tx, 100);
          await tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
        });
        await expect(dying).rejects.toThrow();
      };
      const counting = async (): Promise<void> => {
        await migrate({ databaseUrl: database.url, dir: MIGRATIONS });
        await dies();
        await Promise.all([countCalls(sql, 60), countCalls(sql, 60), dies(), countCalls(sql, 60)]);
      };
      const beside = versionBefore();
      // Begun before the upgrade, and committed when it would be over.
      let hasEnded = (): void => {};
      const isEnding = new Promise<void>((resolve) => {
        hasEnded = resolve;
      });
      const longEnd = Promise.all(
        lasting.map((one) =>
          end(sql, one, () => {
            hasEnded();
            return realSleep(1_500);
          }),
        ),
      );
      await isEnding;
      await Promise.all([counting(), ending(), longEnd]);
      // Some are in the rollup, and some are noted.
      await expectExact(sql, placed);
      while (await countCalls(sql, 50));
      isOver = true;
      await beside;
      await countCalls(sql);
      expect(await sql.$queryRaw`SELECT * FROM uncounted_outcomes`).toEqual([]);
      await expectExact(sql, placed);
    } finally {
      await sql.close();
      await database.drop();
    }
  },
  60_000,
);
