import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@parley/kit/migrations';
import { eventually, kitDatabase, type Receiver, receiver, type SqlClient, sqlClient } from '@parley/testkit';
import { makeAttemptDays } from '../src/retention/attempt-days.ts';
import { cleanUp } from '../src/retention/clean-up.ts';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

const DAY_MS = 86_400_000;
const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url));

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await receiver();
  // A day of stack time takes four seconds.
  webhooks = await bootWebhooks({ clockRate: 20_000 });
});

afterAll(async () => {
  await server.close();
  await webhooks.stopAll();
});

const find = (callId: string) => readEvents(webhooks, workspace, callId);
const newCall = () => fakeCall(`${server.url}/hook`, webhooks.context.clock.now());

function daysOf(sql: Pick<SqlClient, '$queryRaw'>): Promise<{ day: string }[]> {
  return sql.$queryRaw`SELECT c.relname::text AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'attempts'::regclass ORDER BY 1`;
}

describe('attempts by day', () => {
  it('have partitions for any clock rate: a series of 26 hours is recorded completely', async () => {
    server.script('/hook', { status: 500 });
    const call = newCall();
    await webhooks.bus.publish('call.started', workspace, call.started);
    const [event] = await eventually(
      async () => {
        const found = await find(call.callId);
        expect(found[0]?.status).toBe('failed');
        return found;
      },
      { timeoutMs: 25_000 },
    );
    expect(event?.log.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it('are removed by whole days after ATTEMPTS_KEEP_DAYS; their event keeps its result until EVENTS_KEEP_DAYS', async () => {
    server.script('/kept', {});
    const call = fakeCall(`${server.url}/kept`, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await find(call.callId))[0]?.log).toHaveLength(1));
    const { context } = webhooks;
    const inDays = (days: number) => {
      const clock = { ...context.clock, now: () => new Date(context.clock.now().getTime() + days * DAY_MS) };
      const keep = { attemptsDays: 2, eventsDays: 10 };
      return cleanUp({ prisma: context.prisma, clock }, { keep, everyMs: 0 });
    };
    await inDays(4);
    expect(await find(call.callId)).toMatchObject([{ status: 'delivered', reason: 'delivered', log: [] }]);
    await eventually(async () => {
      await inDays(11);
      expect(await find(call.callId)).toEqual([]);
    });
  });

  it("of a workspace with its own retention are removed after that, and other workspaces' stay [trust.21]", async () => {
    const own = randomUUID();
    const { context } = webhooks;
    const [mine, others] = [newCall(), fakeCall(`${server.url}/kept`, context.clock.now())];
    server.script('/kept', {});
    const call = fakeCall(`${server.url}/kept`, context.clock.now(), mine.agentId);
    await webhooks.bus.publish('call.started', own, call.started);
    await webhooks.bus.publish('call.started', workspace, others.started);
    const ofOwn = () => readEvents(webhooks, own, call.callId);
    await eventually(async () => expect((await ofOwn())[0]?.status).toBe('delivered'));
    await eventually(async () => expect((await find(others.callId))[0]?.status).toBe('delivered'));
    // A day takes four seconds here.
    await eventually(
      async () => {
        await context.applyRetention(own, { calls: null, recordings: null, attempts: 1, contacts: null });
        expect(await ofOwn()).toEqual([]);
      },
      { timeoutMs: 25_000 },
    );
    expect(await find(others.callId)).toMatchObject([{ status: 'delivered', log: [{ attempt: 1 }] }]);
  });

  it('are kept for 400 days at most, however long the retention of a workspace is [trust.21]', async () => {
    const { prisma, clock } = webhooks.context;
    const now = clock.now();
    const inDays = (days: number) => new Date(now.getTime() + days * DAY_MS);
    const nameOf = (days: number) => `d${inDays(days).toISOString().slice(0, 10).replaceAll('-', '')}`;
    const own = await prisma.retention.create({ data: { workspaceId: randomUUID(), attempts: 36_500 } });
    await makeAttemptDays(prisma, inDays(-402), inDays(-399));
    const keep = { attemptsDays: 36_500, eventsDays: 36_500 };
    await cleanUp({ prisma, clock: { ...clock, now: () => now } }, { keep, everyMs: 0 });
    const kept = (await daysOf(prisma)).map(({ day }) => day);
    expect([-402, -401, -400, -399].map((days) => kept.includes(nameOf(days)))).toEqual([
      false,
      false,
      true,
      true,
    ]);
    await prisma.retention.delete({ where: { workspaceId: own.workspaceId } });
  });

  it('from before the migration are kept', async () => {
    const before = await mkdtemp(join(tmpdir(), 'parley-migrations-'));
    const database = await kitDatabase('inbox');
    const sql = sqlClient(database.url);
    try {
      await sql.$executeRaw`DROP TABLE inbox`;
      const older = (await readdir(MIGRATIONS)).filter((name) => name < '20261122111000');
      for (const name of older) await cp(join(MIGRATIONS, name), join(before, name), { recursive: true });
      await migrate({ databaseUrl: database.url, dir: before });
      const id = randomUUID();
      await sql.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, blocked, created_at)
         VALUES (${id}::uuid, ${id}::uuid, ${id}::uuid, ${id}::uuid, 'call_started', 1, '{}', 'failed', false, now())`;
      for (const [index, at] of ['2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00.000Z'].entries()) {
        await sql.$executeRaw`INSERT INTO attempts (id, event_id, workspace_id, series, attempt, url, started_at, duration_ms, reason, status, request_headers)
           VALUES (gen_random_uuid(), ${id}::uuid, ${id}::uuid, 1, ${index + 1}, 'https://x', ${at}::timestamptz, 5, 'http_error', 500, '{"a":"b"}')`;
      }
      await migrate({ databaseUrl: database.url, dir: MIGRATIONS });
      expect(await daysOf(sql)).toEqual([{ day: 'd20261120' }, { day: 'd20261121' }]);
      const rows =
        await sql.$queryRaw`SELECT attempt, status, request_headers FROM attempts ORDER BY attempt`;
      expect(rows).toEqual([1, 2].map((attempt) => ({ attempt, status: 500, request_headers: { a: 'b' } })));
    } finally {
      await sql.close();
      await database.drop();
      await rm(before, { recursive: true });
    }
  });
});
