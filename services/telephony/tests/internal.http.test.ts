import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join, raw } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

let harness: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const ask = (method: string, path: string, body?: unknown, of = workspace) =>
  harness.callAsService(of, method, path, body);

async function connect(of = workspace): Promise<Json> {
  const body = { phone_number: anyNumber(), termination_uri: 'sip.example.com', max_cps: 2.5 };
  return (await harness.ask(of, 'POST', '/v1/phone-number/sip', { body })).body.data;
}

describe('GET /internal/stored-bytes (V6)', () => {
  it('returns approximately how much each workspace stores', async () => {
    const [large, small, published] = [newWorkspace(), newWorkspace(), newWorkspace()];
    const insert = (workspaceId: string, calls: number, recording: string | null) => harness.sql.$executeRaw`
      INSERT INTO calls (id, workspace_id, agent_id, call_type, rate_cents, metadata, recording_key, duration, created_at, updated_at,
        status, phase, ended_at, cost, disconnection_reason)
      SELECT gen_random_uuid(), ${workspaceId}::uuid, gen_random_uuid(), 'web', 1, jsonb_build_object('a', repeat(md5(n::text), 50)), ${recording}, 10,
        now(), now(), 'completed', 'ended', now(), 0, 'user_hangup' FROM generate_series(1, ${calls}::int) n`;
    await insert(large, 900, null);
    await insert(small, 100, 'a.wav');
    await harness.sql.$executeRaw`
      INSERT INTO outbox_contents (message_id, workspace_id, payload)
      VALUES (gen_random_uuid(), ${published}::uuid, 'a large message')`;
    const { status, body } = await ask('GET', '/internal/stored-bytes');
    expect(status).toBe(200);
    const of = (id: string): number =>
      body.data.workspaces.find(({ workspace_id }: Json) => workspace_id === id)?.bytes ?? 0;
    // Web calls are recorded at 24 kHz.
    const files = 100 * 10 * 96_000;
    expect(of(small)).toBeGreaterThan(files);
    expect(of(small)).toBeLessThan(files * 1.05);
    expect(of(large) / (of(small) - files)).toBeGreaterThan(6);
    expect(of(large) / (of(small) - files)).toBeLessThan(12);
    expect(of(published)).toBeGreaterThan(0);
    expect(body.data.total).toBeGreaterThanOrEqual(of(large) + of(small));
  });
});

type Request = { campaign_id?: string; generation?: number; state?: string; reason?: string };

async function request({ campaign_id = randomUUID(), generation = 1, ...rest }: Request): Promise<Json> {
  const row = {
    call_id: randomUUID(),
    workspace_id: workspace,
    phone_number_id: randomUUID(),
    campaign_id,
    contact_id: randomUUID(),
    generation,
    agent_id: randomUUID(),
    to_number: anyNumber(),
    requested_at: new Date(),
    ...rest,
  };
  const columns = raw(Object.keys(row).join(', '));
  await harness.sql.$executeRaw`INSERT INTO dial_requests (${columns}) VALUES (${join(Object.values(row))})`;
  return row;
}

describe('every internal endpoint', () => {
  it('is for other services only', async () => {
    const path = `/internal/phone-numbers/by-number/${anyNumber()}`;
    expect((await harness.ask(workspace, 'GET', path)).status).toBe(403);
    expect((await harness.ask(workspace, 'GET', path, { token: false })).status).toBe(401);
  });
});

describe('GET /internal/phone-numbers/by-number/{phone_number}', () => {
  const find = (number: string, of = workspace) =>
    ask('GET', `/internal/phone-numbers/by-number/${encodeURIComponent(number)}`, undefined, of);

  it('returns a number of the workspace', async () => {
    const number = await connect();
    const { status, body } = await find(number.phone_number);
    expect(status).toBe(200);
    expect(body.data).toEqual({
      phone_number_id: number.id,
      phone_number: number.phone_number,
      is_active: true,
      max_cps: 2.5,
    });
  });

  it('is 404 for a number of another workspace, and for an unknown one', async () => {
    const number = await connect();
    expect((await find(number.phone_number, newWorkspace())).status).toBe(404);
    expect((await find(anyNumber())).status).toBe(404);
  });
});

describe('POST /internal/phone-numbers/dial-rates', () => {
  it('returns existing numbers of any workspace', async () => {
    const numbers = [await connect(), await connect(newWorkspace())];
    const phone_number_ids = [...numbers.map(({ id }) => id), randomUUID()];
    const { status, body } = await ask('POST', '/internal/phone-numbers/dial-rates', { phone_number_ids });
    expect(status).toBe(200);
    expect(body.data).toHaveLength(2);
    for (const { id } of numbers) {
      expect(body.data).toContainEqual({ phone_number_id: id, max_cps: 2.5, is_active: true });
    }
  });

  it('returns nothing for an empty request', async () => {
    const { body } = await ask('POST', '/internal/phone-numbers/dial-rates', { phone_number_ids: [] });
    expect(body.data).toEqual([]);
  });
});

describe('POST /internal/phone-numbers/walk', () => {
  const walk = async (range: Json): Promise<Json[]> =>
    (await ask('POST', '/internal/phone-numbers/walk', { after: null, up_to: null, limit: 1000, ...range }))
      .body.data;
  const idsOf = (found: Json[]) => found.map(({ phone_number_id }) => phone_number_id);

  it('returns numbers of all workspaces ordered by id, like phone-number.updated', async () => {
    const numbers = [await connect(), await connect(newWorkspace()), await connect()];
    const found = (await walk({})).filter(({ phone_number_id: id }) =>
      numbers.some((number) => number.id === id),
    );
    expect(found).toEqual(
      numbers.map(({ id, workspace_id, phone_number }) => ({
        phone_number_id: id,
        workspace_id,
        phone_number,
        version: 1,
        inbound_agent_id: null,
        outbound_agent_id: null,
        is_active: true,
      })),
    );
  });

  it('starts after one id, ends with another, and stops at the limit', async () => {
    const [a, b, c, d] = [await connect(), await connect(), await connect(), await connect()];
    expect(idsOf(await walk({ after: a.id, up_to: c.id }))).toEqual([b.id, c.id]);
    expect(idsOf(await walk({ after: a.id, limit: 1 }))).toEqual([b.id]);
    expect(idsOf(await walk({ after: c.id }))).toEqual([d.id]);
    expect(await walk({ after: d.id })).toEqual([]);
  });
});

describe('PUT /internal/phone-numbers/{id}/activation', () => {
  const activate = (id: string, is_active: unknown) =>
    ask('PUT', `/internal/phone-numbers/${id}/activation`, { is_active }, newWorkspace());
  const updatesOf = (id: string) =>
    harness.bus.received('phone-number.updated').filter(({ data }) => data.phone_number_id === id);

  it('activates or deactivates a number of any workspace, and publishes it', async () => {
    const { id } = await connect();
    const { status, body } = await activate(id, false);
    expect(status).toBe(200);
    expect(body.data).toEqual({ phone_number_id: id, is_active: false });
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${id}`);
    expect(read.body.data.is_active).toBe(false);
    await eventually(() =>
      expect(updatesOf(id).at(-1)?.data).toMatchObject({ is_active: false, version: 2 }),
    );
    expect(updatesOf(id).at(-1)?.workspace_id).toBe(workspace);
  });

  it('changes nothing if the state is the same', async () => {
    const number = await connect();
    expect((await activate(number.id, true)).status).toBe(200);
    const read = await harness.ask(workspace, 'GET', `/v1/phone-number/${number.id}`);
    expect(read.body.data).toEqual(number);
  });

  it('is 404 for an unknown number, and 422 for a malformed request', async () => {
    expect((await activate(randomUUID(), true)).status).toBe(404);
    expect((await activate('12', true)).status).toBe(422);
    expect((await activate(randomUUID(), 'yes')).status).toBe(422);
  });
});

describe('POST /internal/dials/withdraw', () => {
  const withdraw = (campaign_id: string, below_generation: number) =>
    ask('POST', '/internal/dials/withdraw', { campaign_id, below_generation });
  const stateOf = async (callId: string): Promise<string> =>
    (await harness.sql.$queryRaw<Json[]>`SELECT state FROM dial_requests WHERE call_id = ${callId}`)[0].state;

  it('withdraws what waits below the generation, and nothing else', async () => {
    const campaign_id = randomUUID();
    const old = [
      await request({ campaign_id, generation: 1 }),
      await request({ campaign_id, generation: 2 }),
    ];
    const kept = [
      await request({ campaign_id, generation: 3 }),
      await request({ campaign_id, generation: 1, state: 'dialled' }),
      await request({ generation: 1 }),
    ];
    const { status, body } = await withdraw(campaign_id, 3);
    expect(status).toBe(200);
    expect(body.data).toEqual({ withdrawn: 2 });
    for (const { call_id } of old) expect(await stateOf(call_id)).toBe('withdrawn');
    expect(await Promise.all(kept.map(({ call_id }) => stateOf(call_id)))).toEqual([
      'waiting',
      'dialled',
      'waiting',
    ]);
  });

  it('publishes dial.refused withdrawn for each', async () => {
    const campaign_id = randomUUID();
    const { call_id, contact_id } = await request({ campaign_id });
    await withdraw(campaign_id, 2);
    await eventually(() => {
      const messages = harness.bus
        .received('dial.refused')
        .filter(({ data }) => data.campaign_id === campaign_id);
      expect(messages.map(({ data }) => data)).toEqual([
        { call_id, campaign_id, contact_id, reason: 'withdrawn' },
      ]);
      expect(messages[0]?.workspace_id).toBe(workspace);
    });
  });

  it('raises the generation of the campaign, and never lowers it', async () => {
    const campaign_id = randomUUID();
    await withdraw(campaign_id, 5);
    await withdraw(campaign_id, 3);
    expect(
      await harness.sql
        .$queryRaw`SELECT min_generation FROM campaign_gates WHERE campaign_id = ${campaign_id}`,
    ).toEqual([{ min_generation: 5 }]);
  });

  it('is repeatable: withdrawn dials stay withdrawn, and are published once', async () => {
    const campaign_id = randomUUID();
    await request({ campaign_id });
    expect((await withdraw(campaign_id, 2)).body.data).toEqual({ withdrawn: 1 });
    expect((await withdraw(campaign_id, 2)).body.data).toEqual({ withdrawn: 0 });
  });

  it('answers only after granted dials have left', async () => {
    const campaign_id = randomUUID();
    const leavesAt = new Date(Date.now() + 400);
    await seedCall(harness.sql, workspace, {
      ...LIVE,
      campaign_id,
      contact_id: randomUUID(),
      status: 'queued',
      phase: 'dialing',
      started_at: leavesAt,
      answered_at: null,
    });
    await withdraw(campaign_id, 2);
    expect(Date.now()).toBeGreaterThanOrEqual(leavesAt.getTime());
  });
});

describe('POST /internal/dials/states', () => {
  const states = async (call_ids: string[]): Promise<Json[]> => {
    const { status, body } = await ask('POST', '/internal/dials/states', { call_ids }, newWorkspace());
    expect(status).toBe(200);
    return body.data;
  };

  it('reports an unknown attempt', async () => {
    const call_id = randomUUID();
    expect(await states([call_id])).toEqual([{ call_id, state: 'unknown' }]);
  });

  it('reports waiting, withdrawn and refused requests', async () => {
    const waiting = await request({});
    const withdrawn = await request({ state: 'withdrawn', reason: 'withdrawn' });
    const refused = await request({ state: 'refused', reason: 'number_unavailable' });
    expect(await states([waiting.call_id, withdrawn.call_id, refused.call_id])).toEqual([
      { call_id: waiting.call_id, state: 'waiting' },
      { call_id: withdrawn.call_id, state: 'refused', reason: 'withdrawn' },
      { call_id: refused.call_id, state: 'refused', reason: 'number_unavailable' },
    ]);
  });

  it('reports whether live calls were answered', async () => {
    const up = await seedCall(harness.sql, workspace, LIVE);
    const ringing = await seedCall(harness.sql, workspace, {
      ...LIVE,
      status: 'ringing',
      phase: 'ringing',
      answered_at: null,
    });
    expect(await states([up.id, ringing.id])).toEqual([
      { call_id: up.id, state: 'live', answered: true },
      { call_id: ringing.id, state: 'live', answered: false },
    ]);
  });

  it('reports an ended call with everything in call.ended', async () => {
    const campaign = { campaign_id: randomUUID(), contact_id: randomUUID() };
    const call = await seedCall(harness.sql, workspace, {
      ...campaign,
      created_at: new Date('2026-01-31T08:00:00Z'),
      answered_at: null,
      duration: 0,
      cost: 0,
      disconnection_reason: 'dial_busy',
      retryable: true,
      dynamic_variables: { name: 'Bo' },
    });
    expect(await states([call.id])).toEqual([
      {
        call_id: call.id,
        state: 'ended',
        ended: {
          call_id: call.id,
          call_type: 'outbound',
          from_number: call.from_number,
          to_number: call.to_number,
          dynamic_variables: { name: 'Bo' },
          agent: { agent_id: call.agent_id, version: 0, webhook_url: null },
          campaign,
          started_at: '2026-01-31T08:00:00.000Z',
          answered_at: null,
          ended_at: '2026-01-31T08:00:00.000Z',
          duration: 0,
          cost: 0,
          disconnection_reason: 'dial_busy',
          retryable: true,
          voicemail_message_left: false,
        },
      },
    ]);
  });
});
