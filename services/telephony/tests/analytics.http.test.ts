import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DISCONNECTION_REASONS } from '@parley/contracts';
import { eventually } from '@parley/testkit';
import fc from 'fast-check';
import { countCalls } from '../src/analytics/count-calls.store.ts';
import { earlier, expectFigures, isWithin, keyOf } from './expected-figures.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { addCalls, newCall, type RawCall, ZERO } from './raw-calls.ts';
import { LIVE, seedCall } from './seed-call.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const read = async (workspace: string, query: Record<string, string> = {}): Promise<Json> => {
  const { status, body } = await harness.ask(
    workspace,
    'GET',
    `/v1/analytics/summary?${new URLSearchParams(query)}`,
  );
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
const uncounted = async (workspace: string): Promise<number> => {
  const [row] = await harness.sql.$queryRaw<{ n: number }[]>`
    SELECT count(*)::int AS n FROM (SELECT * FROM uncounted_calls UNION ALL SELECT * FROM uncounted_outcomes) waiting
    WHERE workspace_id = ${workspace}::uuid`;
  return row?.n ?? 0;
};
const counted = (workspace: string) => eventually(async () => expect(await uncounted(workspace)).toBe(0));
const DAY = { from: '2026-03-14', to: '2026-03-14' };
const onDay = (time = '09:00') => new Date(`2026-03-14T${time}:00Z`);

// The calls span clock changes, some of them at midnight, and one of half an hour.
const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'America/Havana',
  'Asia/Kathmandu',
  'Asia/Kolkata',
];
const MORE_ZONES = ['Australia/Lord_Howe', 'Pacific/Chatham', 'America/Santiago', 'Pacific/Kiritimati'];
const FIRST_MS = Date.parse('2026-03-01T00:00:00Z');
const SPAN_MS = 70 * 86_400_000;

describe('GET /v1/analytics/summary', () => {
  const workspace = newWorkspace();
  const calls: RawCall[] = [];
  const ids = {
    agents: Array.from({ length: 3 }, () => randomUUID()),
    numbers: Array.from({ length: 2 }, () => randomUUID()),
    campaigns: Array.from({ length: 2 }, () => randomUUID()),
  };

  const anyCall = fc.record({
    createdMs: fc.integer({ min: FIRST_MS, max: FIRST_MS + SPAN_MS }),
    agent: fc.constantFrom(...ids.agents),
    number: fc.constantFrom(null, ...ids.numbers),
    campaign: fc.constantFrom(null, ...ids.campaigns),
    type: fc.constantFrom('inbound' as const, 'outbound' as const, 'web' as const),
    reason: fc.constantFrom(...DISCONNECTION_REASONS),
    isAnswered: fc.boolean(),
    messageLeft: fc.boolean(),
    duration: fc.integer({ min: 0, max: 900 }),
    cost: fc.integer({ min: 0, max: 90 }),
    latencies: fc.array(fc.integer({ min: 100, max: 9_000 }), { maxLength: 3 }),
  });

  const grow = async (count: number, seed: number): Promise<void> => {
    const grown = fc.sample(anyCall, { numRuns: count, seed }).map(newCall);
    calls.push(...grown);
    await addCalls(harness.sql, workspace, grown);
  };

  const instant = fc
    .integer({ min: FIRST_MS, max: FIRST_MS + SPAN_MS })
    .map((ms) => new Date(Math.floor(ms / 1000) * 1000).toISOString());
  const edge = fc.oneof(
    instant,
    instant.map((text) => text.slice(0, 10)),
  );
  const anyQuery = fc.record({
    edges: fc.tuple(edge, edge).map((pair) => pair.sort()),
    zone: fc.constantFrom(...ZONES, ...MORE_ZONES),
    groupBy: fc.constantFrom('none', 'day', 'hour', 'assistant', 'number', 'campaign', 'outcome'),
    agent: fc.option(fc.constantFrom(...ids.agents, randomUUID()), { nil: undefined }),
    number: fc.option(fc.constantFrom(...ids.numbers), { nil: undefined, freq: 2 }),
    campaign: fc.option(fc.constantFrom(...ids.campaigns), { nil: undefined, freq: 2 }),
    type: fc.option(fc.constantFrom('inbound', 'outbound', 'web'), { nil: undefined, freq: 2 }),
  });

  it('equals a count over the calls, for any range, zone, grouping and filters, also while calls are being added [analytics.1]', async () => {
    await grow(1_500, 1);
    let seed = 2;
    await fc.assert(
      fc.asyncProperty(anyQuery, async (query) => {
        // Calls that may be in no rollup yet.
        seed += 1;
        if (seed % 3 === 0) await grow(5, seed);
        const [from = '', to = ''] = query.edges;
        // Hours of at most 31 days.
        const last = query.groupBy === 'hour' ? earlier(to, from, 29) : to;
        const data = await read(workspace, {
          ...{ from, to: last, group_by: query.groupBy, time_zone: query.zone },
          ...(query.agent && { agent_id: query.agent }),
          ...(query.number && { phone_number_id: query.number }),
          ...(query.campaign && { campaign_id: query.campaign }),
          ...(query.type && { call_type: query.type }),
        });
        const matching = calls.filter(
          (call) =>
            isWithin(call, from, last, query.zone) &&
            (query.agent ?? call.agent) === call.agent &&
            (query.number ?? call.number) === call.number &&
            (query.campaign ?? call.campaign) === call.campaign &&
            (query.type ?? call.type) === call.type,
        );
        expectFigures(data.totals, matching);
        if (query.groupBy === 'none') return expect(data.buckets).toEqual([]);
        const groups = new Map<string, RawCall[]>();
        for (const call of matching) {
          const key = String(keyOf(call, query.groupBy, query.zone, data.buckets));
          groups.set(key, [...(groups.get(key) ?? []), call]);
        }
        for (const bucket of data.buckets) {
          const key = String(bucket.key);
          const found = groups.get(key);
          if (found || bucket.calls !== 0) expectFigures(bucket, found ?? []);
          groups.delete(key);
        }
        expect([...groups.keys()]).toEqual([]);
      }),
      { numRuns: 40, seed: 4_711 },
    );
    await counted(workspace);
    expectFigures((await read(workspace, { from: '2026-02-01', to: '2026-06-01' })).totals, calls);
  });

  it('days are the days of the workspace: 23 and 25 hours long at clock changes, costs have its currency [analytics.2] [analytics.4]', async () => {
    const own = newWorkspace();
    harness.peers.setSettings(own, { time_zone: 'Europe/Berlin', currency: 'EUR' });
    const times = [
      '2026-03-28T22:59:59.999Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:59:59Z',
      '2026-03-29T22:00:00Z',
    ];
    for (const time of times) await seedCall(harness.sql, own, { created_at: new Date(time) });
    const data = await read(own, { from: '2026-03-28', to: '2026-03-30', group_by: 'day' });
    expect(data).toMatchObject({ time_zone: 'Europe/Berlin', currency: 'EUR', totals: { calls: 4 } });
    expect(data.buckets.map((day: Json) => [day.key, day.from, day.to, day.calls])).toEqual([
      ['2026-03-28', '2026-03-27T23:00:00.000Z', '2026-03-28T23:00:00.000Z', 1],
      ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 2],
      ['2026-03-30', '2026-03-29T22:00:00.000Z', '2026-03-30T22:00:00.000Z', 1],
    ]);
    // The zone of the workspace changes.
    harness.peers.setSettings(own, { time_zone: 'Asia/Kolkata' });
    await eventually(async () => {
      const { buckets } = await read(own, { from: '2026-03-29', to: '2026-03-30', group_by: 'day' });
      expect(buckets.map((day: Json) => day.calls)).toEqual([2, 2]);
    });
  });

  it('groups: by the number of calls with names, none for deleted ones and for calls without, at most `limit` [analytics.3]', async () => {
    const own = newWorkspace();
    const [known, deleted] = [randomUUID(), randomUUID()];
    for (const [id, gone] of [
      [known, false],
      [deleted, true],
    ] as const)
      await harness.sql.$executeRaw`INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted)
        VALUES (${id}, ${own}, 'Ada', 1, ${gone})`;
    for (const agent_id of [known, known, known, deleted, deleted, ZERO])
      await seedCall(harness.sql, own, { agent_id, created_at: onDay() });
    const data = await read(own, { ...DAY, group_by: 'assistant', limit: '2' });
    expect(data.omitted_buckets).toBe(1);
    expect(data.buckets.map((one: Json) => [one.key, one.label, one.calls, one.from])).toEqual([
      [known, 'Ada', 3, null],
      [deleted, null, 2, null],
    ]);
    expect(data.totals.calls).toBe(6);
    const byCampaign = await read(own, { ...DAY, group_by: 'campaign' });
    expect(byCampaign.buckets.map((one: Json) => [one.key, one.calls])).toEqual([[null, 6]]);
  });

  it('hours follow the day of the zone; without a range an hour list is today, all else 30 days [analytics.3]', async () => {
    const own = newWorkspace();
    await seedCall(harness.sql, own, { created_at: onDay('09:59') });
    const data = await read(own, { ...DAY, group_by: 'hour', time_zone: 'Asia/Kolkata' });
    expect(data.buckets).toHaveLength(24);
    expect(data.buckets.filter((one: Json) => one.calls > 0)).toMatchObject([
      { key: '2026-03-14T09:30:00.000Z', to: '2026-03-14T10:30:00.000Z' },
    ]);
    const lengthOf = async (query: Record<string, string>) => {
      const { from, to } = await read(own, query);
      return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
    };
    expect([await lengthOf({}), await lengthOf({ group_by: 'hour' })]).toEqual([30, 1]);
    expect(await lengthOf({ to: '2026-03-14' })).toBe(30);
  });

  it('a bad range is 422 and named; instants are rounded outwards to quarter hours [analytics.2]', async () => {
    for (const [query, field] of [
      [{ from: '2026-03-15', to: '2026-03-14' }, 'from'],
      [{ from: '2025-01-01', to: '2026-03-14' }, 'from'],
      [{ from: '2026-01-01', to: '2026-03-14', group_by: 'hour' }, 'from'],
      [{ from: 'yesterday' }, 'from'],
      [{ to: '2026-02-30' }, 'to'],
      [{ to: '2026-03-14T09:00:00' }, 'to'],
      [{ from: '1999-12-31' }, 'from'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
      [{ time_zone: '+01:00' }, 'time_zone'],
      [{ group_by: 'week' }, 'group_by'],
      [{ agent_id: 'x' }, 'agent_id'],
      [{ limit: '501' }, 'limit'],
    ] as const) {
      const { status, body } = await harness.ask(
        workspace,
        'GET',
        `/v1/analytics/summary?${new URLSearchParams(query as Record<string, string>)}`,
      );
      expect([status, body.error.details[0].path]).toEqual([422, field]);
    }
    const { from, to } = await read(workspace, {
      from: '2026-03-14T10:01:00+01:00',
      to: '2026-03-14T09:01:00Z',
    });
    expect([from, to]).toEqual(['2026-03-14T09:00:00.000Z', '2026-03-14T09:15:00.000Z']);
  });

  it('a workspace sees its own calls, and a limited key those of its assistants [trust.9]', async () => {
    const [own, agent_id] = [newWorkspace(), randomUUID()];
    for (const agent of [agent_id, randomUUID()])
      await seedCall(harness.sql, own, { agent_id: agent, created_at: onDay() });
    const actor = { kind: 'key' as const, id: randomUUID(), scope: { agentIds: [agent_id] } };
    for (const wait of [async () => {}, () => counted(own)]) {
      await wait();
      expect((await read(newWorkspace(), DAY)).totals.calls).toBe(0);
      expect((await read(own, DAY)).totals.calls).toBe(2);
      const { body } = await harness.ask(own, 'GET', '/v1/analytics/summary?from=2026-03-14&to=2026-03-14', {
        actor,
      });
      expect(body.data.totals.calls).toBe(1);
    }
  });
});

describe('GET /v1/analytics/calls [analytics.14]', () => {
  const own = newWorkspace();
  const agent_id = randomUUID();
  const rows = async (query: Record<string, string> = {}): Promise<Json[]> => {
    const { status, body } = await harness.ask(
      own,
      'GET',
      `/v1/analytics/calls?${new URLSearchParams({ ...DAY, ...query })}`,
    );
    expect([status, body.error]).toEqual([200, undefined]);
    return body.data;
  };
  const first = {
    calls: 2,
    answered: 2,
    minutes: 1.5,
    cost: 12,
    average_duration: 45,
    p95_first_audio_ms: null,
  };

  beforeAll(async () => {
    const answered = { agent_id, answered_at: onDay(), disconnection_reason: 'user_hangup' };
    await seedCall(harness.sql, own, { ...answered, created_at: onDay('22:59'), duration: 30, cost: 5 });
    await seedCall(harness.sql, own, { ...answered, created_at: onDay('22:58'), duration: 60, cost: 7 });
    const missed = { disconnection_reason: 'dial_busy', duration: 0, cost: 0 };
    await seedCall(harness.sql, own, { ...missed, agent_id, answered_at: null, created_at: onDay('23:00') });
  });

  it('answers rows of days by default, in the zone of the workspace or `tz`', async () => {
    harness.peers.setSettings(own, { time_zone: 'Europe/Berlin' });
    expect(await rows()).toEqual([{ key: '2026-03-14', ...first }]);
    expect(await rows({ tz: 'UTC' })).toMatchObject([
      { key: '2026-03-14', calls: 3, answered: 2, average_duration: 45 },
    ]);
    expect(await rows({ group_by: 'hour', tz: 'UTC' })).toHaveLength(24);
  });

  it('answers rows of outcomes and assistants, the most calls first, also when they are in the rollups', async () => {
    for (const wait of [async () => {}, () => counted(own)]) {
      await wait();
      const none = { calls: 1, answered: 0, minutes: 0, cost: 0, average_duration: null };
      expect(await rows({ tz: 'UTC', group_by: 'outcome' })).toEqual([
        { key: 'user_hangup', ...first },
        { key: 'dial_busy', ...none, p95_first_audio_ms: null },
      ]);
      expect(await rows({ tz: 'UTC', group_by: 'agent' })).toMatchObject([{ key: agent_id, calls: 3 }]);
      expect(await rows({ tz: 'UTC', group_by: 'outcome', agent_id: randomUUID() })).toEqual([]);
    }
  });

  it('names the field of a bad query', async () => {
    for (const [query, field] of [
      [{ group_by: 'assistant' }, 'group_by'],
      [{ tz: 'Mars/Olympus' }, 'tz'],
      [{ from: '2026-03-15', to: '2026-03-14' }, 'from'],
    ] as const) {
      const search = new URLSearchParams(query as Record<string, string>);
      const { status, body } = await harness.ask(own, 'GET', `/v1/analytics/calls?${search}`);
      expect([status, body.error.details[0].path]).toEqual([422, field]);
    }
  });
});

describe('counting [analytics.6]', () => {
  it('a call counts once it has ended, whatever writes its end, and live calls do not', async () => {
    const own = newWorkspace();
    const { id } = await seedCall(harness.sql, own, { ...LIVE, created_at: onDay() });
    expect((await read(own, DAY)).totals.calls).toBe(0);
    await harness.sql
      .$executeRaw`UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(), duration = 30, cost = 5,
      disconnection_reason = 'user_hangup' WHERE id = ${id}::uuid`;
    expect((await read(own, DAY)).totals).toMatchObject({ calls: 1, duration_seconds: 30, cost: 5 });
    // Later changes of the call have no effect.
    await harness.sql.$executeRaw`UPDATE calls SET summary = 's', updated_at = now() WHERE id = ${id}::uuid`;
    await counted(own);
    expect((await read(own, DAY)).totals).toMatchObject({ calls: 1, duration_seconds: 30, cost: 5 });
  });

  it('replicas that count at once, and one that dies before its commit, count each call once', async () => {
    const own = newWorkspace();
    const added = Array.from({ length: 1_500 }, () => newCall({ createdMs: onDay().getTime() }));
    await addCalls(harness.sql, own, added);
    const dying = harness.sql.$transaction(async (tx) => {
      await countCalls(tx, 400);
      await tx.$queryRaw`SELECT pg_terminate_backend(pg_backend_pid())`;
    });
    await expect(dying).rejects.toThrow();
    await Promise.all(Array.from({ length: 8 }, () => countCalls(harness.sql, 300)));
    await counted(own);
    expect((await read(own, DAY)).totals.calls).toBe(1_500);
  });

  it('calls that retention removes stay in the figures; a deleted workspace has none [analytics.9]', async () => {
    const own = newWorkspace();
    await seedCall(harness.sql, own, { created_at: onDay() });
    await counted(own);
    await harness.sql.$executeRaw`DELETE FROM calls WHERE workspace_id = ${own}::uuid`;
    expect((await read(own, DAY)).totals.calls).toBe(1);
    const id = randomUUID();
    await eventually(async () => {
      const body = { pass: 1, phone_number: null, keep_do_not_call: false };
      const { body: answer } = await harness.callAsService(
        own,
        'POST',
        `/internal/removals/${id}/advance`,
        body,
      );
      expect(answer.data).toMatchObject({ done: true });
    });
    expect((await read(own, DAY)).totals.calls).toBe(0);
  });
});
