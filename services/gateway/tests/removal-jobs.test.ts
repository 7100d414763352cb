import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPrismaAdapter, queryRow, raw, sql } from '@parley/kit/db';
import { createLogger } from '@parley/kit/log';
import { createSecretBox } from '@parley/kit/secrets';
import { createClock } from '@parley/kit/time';
import { type TestDatabase, testDatabase } from '@parley/testkit';
import { z } from 'zod';
import { PrismaClient } from '../src/generated/prisma/client.ts';
import type { RemovalJobs } from '../src/removals/removal-jobs.store.ts';
import { createRemovalJobs, REMOVAL_GAUGES } from '../src/removals/removal-jobs.store.ts';

const log = createLogger({ service: 'gateway', level: 'silent' });
const MANY = '0197a000-0000-7000-8000-00000000aaaa';
const FEW = '0197a000-0000-7000-8000-00000000bbbb';
const FULL = '0197a000-0000-7000-8000-00000000cccc';
let database: TestDatabase;
let prisma: PrismaClient;
let removals: RemovalJobs;

beforeAll(async () => {
  database = await testDatabase('gateway');
  const options = { databaseUrl: database.url, pool: 2, applicationName: 'test', log };
  prisma = new PrismaClient({ adapter: createPrismaAdapter(options) });
  const box = createSecretBox([{ id: 'k1', key: Buffer.alloc(32, 1) }]);
  removals = createRemovalJobs({ prisma, box, pepper: 'p', clock: createClock({ rate: 1, originMs: 0 }) });
});

afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

let count = 0;

function erase(workspaceId: string): Promise<string> {
  count += 1;
  const tail = String(count).padStart(12, '0');
  const erasure = {
    id: `0197a000-0000-7000-8000-${tail}`,
    workspaceId,
    phoneNumber: `+1415${tail.slice(-7)}`,
    keepDoNotCall: true,
    requestedBy: 'test',
    by: { workspaceId, actor: { kind: 'service' as const, id: 'test' } },
    createdAt: new Date(1_800_000_000_000 + count),
  };
  return removals.addErasure(erasure, async (_tx, { id }) => id);
}

it('many erasures of one workspace do not delay those of others', async () => {
  const many: string[] = [];
  for (let i = 0; i < 10; i += 1) many.push(await erase(MANY));
  const few = await erase(FEW);
  const claimed: (string | undefined)[] = [];
  for (let i = 0; i < 6; i += 1) claimed.push((await removals.claim())?.id);
  expect(claimed).toEqual([...many.slice(0, 4), few, undefined]);
  await prisma.removalJob.update({ where: { id: many[1] ?? '' }, data: { status: 'completed' } });
  expect([(await removals.claim())?.id, await removals.claim()]).toEqual([many[4], undefined]);
});

it('a workspace has at most 1,000 erasures in progress', async () => {
  await prisma.$executeRaw`
    INSERT INTO removal_jobs (id, workspace_id, kind, requested_by, created_at)
    SELECT gen_random_uuid(), ${FULL}::uuid, 'erasure', 'test', now() FROM generate_series(1, 999)`;
  await erase(FULL);
  await expect(erase(FULL)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await prisma.removalJob.updateMany({ where: { workspaceId: FULL }, data: { status: 'completed' } });
  await erase(FULL);
});

it('the age of the oldest open removal is exported', async () => {
  const { query = '' } = REMOVAL_GAUGES.find(({ name }) => name.endsWith('oldest_seconds')) ?? {};
  const age = async () => {
    const row = await queryRow(prisma, z.object({ value: z.number() }), sql`${raw(query)}`);
    return row?.value;
  };
  await prisma.removalJob.updateMany({ data: { status: 'completed' } });
  expect(await age()).toBe(0);
  const id = await erase(FEW);
  await prisma.$executeRaw`
    UPDATE removal_jobs SET created_at = clock_timestamp() - interval '25 hours' WHERE id = ${id}::uuid`;
  await erase(FEW);
  expect(await age()).toBeGreaterThanOrEqual(25 * 3_600);
});
