import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const get = async (workspace: string, path: string): Promise<Json> => {
  const { status, body } = await harness.ask(workspace, 'GET', path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const agoMs = (ms: number) => new Date(Date.now() - ms);

describe('GET /v2/call/live', () => {
  it('lists the calls that have not ended, newest first, with the seconds since the answer [analytics.7]', async () => {
    const workspace = newWorkspace();
    const [agent_id, campaign_id, number_id] = [randomUUID(), randomUUID(), randomUUID()];
    await harness.sql
      .$executeRaw`INSERT INTO agents (agent_id, workspace_id, agent_name, version) VALUES (${agent_id}, ${workspace}, 'Ada', 1)`;
    await harness.sql
      .$executeRaw`INSERT INTO phone_numbers (id, workspace_id, phone_number, provider, created_at, updated_at)
      VALUES (${number_id}, ${workspace}, ${anyNumber()}, 'hosted_sip', now(), now())`;
    const talking = await seedCall(harness.sql, workspace, {
      ...{ ...LIVE, agent_id, campaign_id, phone_number_id: number_id },
      ...{ created_at: agoMs(60_000), started_at: agoMs(59_000), answered_at: agoMs(30_500) },
    });
    const queued = await seedCall(harness.sql, workspace, {
      ...{ ...LIVE, status: 'queued', phase: 'queued', started_at: null, answered_at: null },
      ...{ call_type: 'web', from_number: null, to_number: null, created_at: agoMs(5_000) },
    });
    await seedCall(harness.sql, workspace);
    await seedCall(harness.sql, newWorkspace(), LIVE);
    const { data, pagination } = await get(workspace, '/v2/call/live');
    expect(pagination).toEqual({ total: 2, count: 2, next_cursor: null });
    expect(data.map((call: Json) => call.id)).toEqual([queued.id, talking.id]);
    expect(data[0]).toMatchObject({
      status: 'queued',
      call_type: 'web',
      started_at: null,
      duration: null,
      agent_name: null,
    });
    expect(data[1]).toMatchObject({
      ...{ status: 'in-progress', agent_id, agent_name: 'Ada', campaign_id, phone_number_id: number_id },
      from_number: talking.from_number,
      started_at: (talking.started_at as Date).toISOString(),
    });
    expect(data[1].duration).toBeGreaterThanOrEqual(30);
    for (const [filter, ids] of [
      [`agent_id=${agent_id}`, [talking.id]],
      [`campaign_id=${campaign_id}`, [talking.id]],
      [`phone_number_id=${number_id}`, [talking.id]],
      ['call_type=web', [queued.id]],
      [`call_type=web&agent_id=${agent_id}`, []],
    ] as const)
      expect([
        filter,
        (await get(workspace, `/v2/call/live?${filter}`)).data.map((call: Json) => call.id),
      ]).toEqual([filter, ids]);
    const first = await get(workspace, '/v2/call/live?limit=1');
    expect([first.data[0].id, first.pagination.next_cursor]).toEqual([queued.id, '1']);
    const second = await get(workspace, '/v2/call/live?limit=1&offset=1');
    expect([second.data[0].id, second.pagination.next_cursor]).toEqual([talking.id, null]);
    expect((await get(workspace, '/v2/call/live?offset=9')).data).toEqual([]);
    for (const bad of ['limit=0', 'limit=101', 'offset=-1', 'agent_id=x', 'call_type=fax'])
      expect((await harness.ask(workspace, 'GET', `/v2/call/live?${bad}`)).status).toBe(422);
    const actor = { kind: 'key' as const, id: randomUUID(), scope: { agentIds: [agent_id] } };
    const limited = await harness.ask(workspace, 'GET', '/v2/call/live', { actor });
    expect(limited.body).toMatchObject({ pagination: { total: 1 }, data: [{ id: talking.id }] });
  });

  it('GET /v1/concurrency counts them by status, beside the limit [analytics.8]', async () => {
    const workspace = newWorkspace();
    harness.peers.setSettings(workspace, { max_live_calls: 7 });
    for (const [status, phase] of [
      ['queued', 'queued'],
      ['ringing', 'ringing'],
      ['in-progress', 'up'],
      ['in-progress', 'up'],
    ])
      await seedCall(harness.sql, workspace, { ...LIVE, status, phase });
    await seedCall(harness.sql, workspace);
    expect((await get(workspace, '/v1/concurrency')).data).toEqual({
      live: 4,
      limit: 7,
      by_status: { queued: 1, ringing: 1, 'in-progress': 2 },
    });
  });
});

describe('GET /internal/attention', () => {
  it("names the workspace's numbers whose circuit is open, and events that the broker refused [analytics.10]", async () => {
    const [workspace, other] = [newWorkspace(), newWorkspace()];
    const opened = agoMs(60_000);
    const add = async (of: string, opened_at: Date | null) => {
      const [id, number] = [randomUUID(), anyNumber()];
      await harness.sql
        .$executeRaw`INSERT INTO phone_numbers (id, workspace_id, phone_number, provider, nickname, created_at, updated_at)
        VALUES (${id}, ${of}, ${number}, 'hosted_sip', 'Desk', now(), now())`;
      await harness.sql
        .$executeRaw`INSERT INTO number_circuits (phone_number_id, failures, opened_at, probe_at)
        VALUES (${id}, 5, ${opened_at}, ${opened_at})`;
      await harness.sql
        .$executeRaw`INSERT INTO outbox_refused (message_id, type, workspace_id, payload, created_at, reason)
        VALUES (${randomUUID()}, 'call.ended', ${of}, '{}', now(), 'too large')`;
      return { id, number };
    };
    const { id, number } = await add(workspace, opened);
    await add(workspace, null);
    await add(other, opened);
    const { status, body } = await harness.callAsService(workspace, 'GET', '/internal/attention');
    expect([status, body.data.items]).toEqual([
      200,
      [
        {
          type: 'number_circuit_open',
          at: opened.toISOString(),
          phone_number_id: id,
          phone_number: number,
          nickname: 'Desk',
          next_probe_at: opened.toISOString(),
        },
        { type: 'events_not_published', at: expect.any(String), service: 'telephony', count: 2 },
      ],
    ]);
  });
});
