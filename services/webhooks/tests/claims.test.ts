import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { createLifecycle, type Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import {
  eventually,
  faultProxy,
  type SqlClient,
  sqlClient,
  type TestDatabase,
  testDatabase,
} from '@parley/testkit';
import { connectDedicated } from '../src/database.ts';
import { CLAIM_LOCK, claimStatement } from '../src/deliveries/claim-due.ts';
import { createDeliveryStore, type DeliveryStore } from '../src/deliveries/deliveries.store.ts';
import type { Attempt } from '../src/deliveries/record-attempts.ts';
import { lockCalls } from '../src/events/events.store.ts';
import { makeAttemptDays } from '../src/retention/attempt-days.ts';
import { scansOf } from './plan.ts';

const NIL_ID = '00000000-0000-0000-0000-000000000000';
let database: TestDatabase;
let sql: SqlClient;
let lifecycle: Lifecycle;
const log = createLogger({ service: 'webhooks', level: 'silent' });

beforeEach(async () => {
  database = await testDatabase('webhooks');
  sql = sqlClient(database.url);
  lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
});

afterEach(async () => {
  await lifecycle.stop('test');
  await sql.close();
  await database.drop();
});

/** The store of a replica without its loop. */
function replica(perEndpoint = 4, perWorkspace = 64, databaseUrl = database.url): DeliveryStore {
  const connections = connectDedicated(databaseUrl, { lifecycle, log });
  const makeDays = (from: Date, to: Date) => makeAttemptDays(sql, from, to);
  return createDeliveryStore(connections, { perEndpoint, perWorkspace }, makeDays);
}

/** An assistant with this many due events. */
async function addQueue(
  workspaceId: string,
  events: number,
  unresponsive = false,
  bytes = 2,
): Promise<string> {
  const agentId = randomUUID();
  await sql.$executeRaw`INSERT INTO endpoints (agent_id, workspace_id, version, url, unresponsive)
     VALUES (${agentId}::uuid, ${workspaceId}::uuid, 1, 'http://127.0.0.1:9', ${unresponsive})`;
  await sql.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, blocked, next_attempt_at, ready, created_at)
     SELECT gen_random_uuid(), ${workspaceId}::uuid, gen_random_uuid(), ${agentId}::uuid, 'call_ended', 2, repeat('x', ${bytes}::int), false,
       clock_timestamp(), true, clock_timestamp()
     FROM generate_series(1, ${events})`;
  return agentId;
}

const attemptAt = (startedAt: Date): Attempt => ({
  url: 'http://127.0.0.1:9',
  startedAt,
  durationMs: 5,
  reason: 'http_error',
  status: 500,
  error: null,
  requestHeaders: {},
  response: null,
});

const deliveredAt = (startedAt: Date | null) => ({
  attempt: startedAt && attemptAt(startedAt),
  next: { status: 'delivered' } as const,
  reason: 'delivered' as const,
});

/** How many connections of the store wait for a lock, and how many are in a transaction. */
const count = async (condition: string): Promise<number> => {
  const [row] = await sql.$queryRaw<{ n: number }[]>`SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'parley-webhooks-records' AND ${raw(condition)}`;
  return row?.n ?? 0;
};
const waiting = () => count(`wait_event_type = 'Lock'`);
const inTransaction = () => count(`state <> 'idle'`);

const recorded = () => sql.$queryRaw<{ attempt: number }[]>`SELECT attempt FROM attempts`;

const agentsOf = (claims: { agentId: string }[]) => claims.map(({ agentId }) => agentId);

describe('a claim', () => {
  it('takes no more of an endpoint than its slots, across replicas', async () => {
    await addQueue(randomUUID(), 50);
    const taken = await Promise.all(Array.from({ length: 5 }, () => replica().claim(64)));
    expect(taken.flat()).toHaveLength(4);
    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(4);
  });

  it('continues within seconds while a replica hangs in its own, as on a dead machine', async () => {
    await addQueue(randomUUID(), 50);
    const proxy = await faultProxy(database.url);
    try {
      const frozen = await connectDedicated(proxy.url, { lifecycle, log }).claims.connect();
      await frozen.query('BEGIN');
      await frozen.query(CLAIM_LOCK.text);
      proxy.freeze();
      expect(await replica().claim(64)).toHaveLength(4);
      frozen.release(true);
    } finally {
      await proxy.close();
    }
  });

  it('takes no more of a workspace than its slots, across replicas', async () => {
    const workspaceId = randomUUID();
    for (let i = 0; i < 5; i += 1) await addQueue(workspaceId, 10);
    const taken = await Promise.all(Array.from({ length: 5 }, () => replica(4, 7).claim(64)));
    expect(taken.flat()).toHaveLength(7);
  });

  it('takes no more of a workspace than its share of bytes, across replicas, and all of others [trust.1]', async () => {
    const [large, small] = [randomUUID(), randomUUID()];
    for (let i = 0; i < 5; i += 1) await addQueue(large, 10, false, 3 * 1024 ** 2);
    const first = await replica().claim(64);
    expect(first).toHaveLength(6);
    const others = await addQueue(small, 4);
    expect(agentsOf(await replica().claim(64))).toEqual(Array(4).fill(others));
    await Promise.all(first.map((claim) => replica().giveBack(claim, new Date())));
    await sql.$executeRaw`UPDATE events SET ready = true WHERE lease_until IS NULL`;
    expect(await replica().claim(64)).toHaveLength(6);
  });

  it('takes no more bytes than the process has left; one event may exceed them', async () => {
    for (let i = 0; i < 5; i += 1) await addQueue(randomUUID(), 1, false, 1_000);
    expect(await replica().claim(64, 64, 1)).toHaveLength(1);
    expect(await replica().claim(64, 64, 2_001)).toHaveLength(3);
  });

  it('takes the first of each endpoint before the second of any [webhooks.16]', async () => {
    const workspaceId = randomUUID();
    const agents = [await addQueue(workspaceId, 1_000), await addQueue(workspaceId, 1)];
    expect(agentsOf(await replica().claim(2)).sort()).toEqual(agents.sort());
  });

  it('serves every endpoint in turn, however many have due events', async () => {
    const workspaceId = randomUUID();
    const agents: string[] = [];
    for (let i = 0; i < 150; i += 1) agents.push(await addQueue(workspaceId, 20));
    const store = replica(4, 1_000);
    const seen = new Set<string>();
    for (let claims = 0; claims < 6; claims += 1) {
      for (const agentId of agentsOf(await store.claim(64))) seen.add(agentId);
    }
    expect(seen.size).toBe(agents.length);
  });

  it('makes one attempt at a time at an endpoint whose last one timed out', async () => {
    await addQueue(randomUUID(), 10, true);
    expect(await replica().claim(64)).toHaveLength(1);
    expect(await replica().claim(64)).toHaveLength(0);
  });

  it('limits attempts at endpoints whose last one timed out, and takes all possible ones of the others', async () => {
    for (let i = 0; i < 3; i += 1) await addQueue(randomUUID(), 10, true);
    const answering = await addQueue(randomUUID(), 10);
    const claims = await replica().claim(64, 2);
    expect(claims.filter(({ unresponsive }) => unresponsive)).toHaveLength(2);
    expect(claims.filter(({ agentId }) => agentId === answering)).toHaveLength(4);
    expect(await replica().claim(64, 0)).toHaveLength(0);
    expect(await replica().claim(64)).toHaveLength(1);
  });

  it('skips a workspace without a free slot, however many of its endpoints have due events', async () => {
    await sql.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, blocked, next_attempt_at, ready, created_at)
       SELECT gen_random_uuid(), '00000000-0000-4000-8000-000000000000', gen_random_uuid(), gen_random_uuid(), 'call_ended', 2,
         '{}', false, clock_timestamp(), true, clock_timestamp()
       FROM generate_series(1, 2000)`;
    const last = await addQueue('ffffffff-ffff-4fff-bfff-ffffffffffff', 1);
    expect(await replica(4, 3).claim(3)).toHaveLength(3);
    expect(agentsOf(await replica(4, 3).claim(64))).toEqual([last]);
  });

  it('skips leased events until the lease has expired', async () => {
    await addQueue(randomUUID(), 4);
    const store = replica();
    const first = await store.claim(64);
    await store.freeExpired();
    expect(await store.claim(64)).toHaveLength(0);
    await sql.$executeRaw`UPDATE events SET lease_until = clock_timestamp() - interval '1 second'`;
    await store.freeExpired();
    const second = await replica().claim(64);
    expect(second.map(({ fence }) => fence)).toEqual(first.map(({ fence }) => fence + 1));
    const late = await store.record(first[0] as never, deliveredAt(null), new Date());
    expect(late).toBe(false);
  });
});

describe('the plan of a claim', () => {
  it('reads the queues that it visits by index, and neither history nor long queues', async () => {
    const [workspaceId, agentId] = [randomUUID(), await addQueue(randomUUID(), 5_000)];
    await sql.$executeRaw`INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, blocked, created_at)
       SELECT gen_random_uuid(), ${workspaceId}::uuid, gen_random_uuid(), ${agentId}::uuid, 'call_ended', 2, '{}', 'delivered', false,
         clock_timestamp()
       FROM generate_series(1, 20000)`;
    for (let i = 0; i < 80; i += 1) await addQueue(workspaceId, 10);
    await sql.$executeRaw`ANALYZE events, endpoints`;
    const client = await connectDedicated(database.url, { lifecycle, log }).claims.connect();
    const statement = claimStatement({
      after: { workspaceId: NIL_ID, agentId: NIL_ID },
      maxQueues: 64,
      limits: { perEndpoint: 4, perWorkspace: 64 },
      maxClaims: 64,
      maxUnresponsive: 32,
      maxBytes: 1_000_000,
    });
    const { rows } = await client.query({
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}`,
      values: statement.values,
    });
    client.release();
    const scans = scansOf(rows[0]['QUERY PLAN'], /^events$/).filter(
      (scan) => scan['Node Type'] !== 'ModifyTable',
    );
    expect(scans.length).toBeGreaterThan(4);
    for (const scan of scans) expect(scan['Node Type']).toMatch(/^(Index|Tid)/);
    const rowsRead = scans.map(
      (scan) =>
        (Number(scan['Actual Rows']) + Number(scan['Rows Removed by Filter'] ?? 0)) *
        Number(scan['Actual Loops']),
    );
    // 64 queues with one step and four candidates each, and the 64 claimed events.
    expect(rowsRead.reduce((sum, count) => sum + count, 0)).toBeLessThan(64 * 10);
  });
});

describe('due events', () => {
  it('are marked for every endpoint at once, however long those of others have been due [webhooks.16]', async () => {
    const [backlog, other] = [await addQueue(randomUUID(), 3_000), await addQueue(randomUUID(), 1)];
    await sql.$executeRaw`UPDATE events SET ready = false, next_attempt_at = clock_timestamp() - (agent_id = ${backlog}::uuid)::int * interval '1 hour'`;
    const store = replica();
    const now = new Date(Date.now() + 1_000);
    expect(await store.markDue(now)).toEqual({ anyReady: true, nextDueAt: now });
    expect(agentsOf(await store.claim(64)).sort()).toEqual(
      [backlog, backlog, backlog, backlog, other].sort(),
    );
    // At the end everything was claimed.
    for (let batches = 0; (await store.markDue(now)).nextDueAt !== undefined; batches += 1)
      expect(batches).toBeLessThan(5);
    const [row] = await sql.$queryRaw<
      { waiting: number }[]
    >`SELECT count(*)::int AS waiting FROM events WHERE NOT ready AND lease_until IS NULL`;
    expect(row?.waiting).toBe(0);
  });

  it('are claimed only if there are any: those that were marked now, and earlier', async () => {
    const store = replica();
    const anyReady = async () => (await store.markDue(new Date(Date.now() + 1_000))).anyReady;
    expect(await anyReady()).toBe(false);
    await addQueue(randomUUID(), 1);
    await sql.$executeRaw`UPDATE events SET ready = false`;
    expect([await anyReady(), await anyReady()]).toEqual([true, true]);
    await store.claim(64);
    expect(await anyReady()).toBe(false);
  });

  it('are claimed by a replica that wakes while another one marks them', async () => {
    await addQueue(randomUUID(), 2);
    await sql.$executeRaw`UPDATE events SET ready = false`;
    const marking = await connectDedicated(database.url, { lifecycle, log }).claims.connect();
    try {
      await marking.query('BEGIN');
      await marking.query('UPDATE events SET ready = true');
      const store = replica();
      expect(await store.markDue(new Date(Date.now() + 1_000))).toMatchObject({ anyReady: true });
      await marking.query('COMMIT');
      expect(await store.claim(64)).toHaveLength(2);
    } finally {
      marking.release(true);
    }
  });
});

describe('results recorded together', () => {
  it('count separately: those of other leases are refused, and an unwritable one fails alone', async () => {
    await addQueue(randomUUID(), 4);
    const store = replica();
    const claims = await store.claim(64);
    const record = (index: number, reason: string, fence = 0) => {
      const claim = claims[index] as (typeof claims)[number];
      const next = { status: 'delivered' } as const;
      const result = { attempt: null, next, reason: reason as never };
      return store.record({ ...claim, fence: claim.fence + fence }, result, new Date());
    };
    // The first goes alone, the others together. No text column takes NUL.
    const results = await Promise.allSettled([
      record(0, 'delivered'),
      record(1, 'delivered'),
      record(2, 'delivered', -1),
      record(3, 'bad \u0000'),
    ]);
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value : one.status))).toEqual([
      true,
      true,
      false,
      'rejected',
    ]);
    const [row] = await sql.$queryRaw<
      { delivered: number }[]
    >`SELECT count(*)::int AS delivered FROM events WHERE status = 'delivered'`;
    expect(row?.delivered).toBe(2);
  });

  it('create the partitions of the days on which their attempts began, including past days', async () => {
    await addQueue(randomUUID(), 3);
    const store = replica();
    const claims = await store.claim(64);
    const now = new Date();
    const records = claims.map((claim, index) => {
      const startedAt = new Date(now.getTime() - index * 86_400_000);
      return store.record(claim, deliveredAt(startedAt), now);
    });
    expect(await Promise.all(records)).toEqual([true, true, true]);
    expect(await recorded()).toHaveLength(3);
  });

  it('wait for a database that is briefly unreachable [webhooks.19]', async () => {
    await addQueue(randomUUID(), 4);
    const proxy = await faultProxy(database.url);
    const behind = sqlClient(proxy.url);
    try {
      const store = replica(4, 64, proxy.url);
      const claims = await store.claim(64);
      const now = new Date();
      proxy.cut();
      const records = Promise.all(claims.map((claim) => store.record(claim, deliveredAt(now), now)));
      // By then the first record has failed in the same way.
      await expect(behind.$executeRaw`SELECT 1`).rejects.toThrow();
      proxy.restore();
      expect(await records).toEqual([true, true, true, true]);
      expect(await recorded()).toHaveLength(4);
    } finally {
      await behind.close();
      await lifecycle.stop('test');
      await proxy.close();
    }
  });

  it('are retried when the server has ended their idle transaction, however long that took', async () => {
    await addQueue(randomUUID(), 1);
    const proxy = await faultProxy(database.url);
    try {
      const store = replica(4, 64, proxy.url);
      const [claim] = await store.claim(64);
      const now = new Date();
      let record: Promise<boolean> | undefined;
      await sql.$transaction(async (tx) => {
        await lockCalls(tx, [claim?.callId ?? '']);
        record = store.record(claim as never, deliveredAt(now), now);
        await eventually(async () => expect(await waiting()).toBe(1));
        // The condition becomes true, but the notification is lost.
        proxy.freeze();
      });
      await eventually(async () => expect(await inTransaction()).toBe(0), { timeoutMs: 20_000 });
      proxy.restore();
      expect(await record).toBe(true);
    } finally {
      await lifecycle.stop('test');
      await proxy.close();
    }
  });

  it('are not written twice when the confirmation of their commit is lost', async () => {
    await addQueue(randomUUID(), 1);
    const store = replica();
    const [claim] = await store.claim(64);
    const now = new Date();
    const next = { status: 'pending', nextAttemptAt: now } as const;
    const record = () =>
      store.record(claim as never, { attempt: attemptAt(now), next, reason: 'http_error' }, now);
    expect([await record(), await record()]).toEqual([true, false]);
    expect(await recorded()).toEqual([{ attempt: 1 }]);
  });
});
