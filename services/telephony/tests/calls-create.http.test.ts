import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { lockWorkspaceCalls } from '../src/limits/live-calls.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

const MILLIS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let harness: Harness;
const workspace = newWorkspace();
const other = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const call = (body: object, of = workspace, headers: Record<string, string> = {}) =>
  harness.ask(of, 'POST', '/v2/call', { body, headers });

/** A number of the workspace, with an assistant for outbound calls. */
async function connect(
  of = workspace,
  withAgent = true,
): Promise<{ id: string; number: string; agentId: string }> {
  const agentId = harness.peers.addAgent(of).agent_id;
  const body = {
    phone_number: anyNumber(),
    termination_uri: 'sip.example.com',
    ...(withAgent ? { outbound_agent_id: agentId } : {}),
  };
  const { body: answer } = await harness.ask(of, 'POST', '/v1/phone-number/sip', { body });
  return { id: answer.data.id, number: answer.data.phone_number, agentId };
}

describe('POST /v2/call', () => {
  it('[calls.1] answers 201 with the single read, queued', async () => {
    const from = await connect();
    const to_number = anyNumber();
    const { status, body } = await call({
      to_number,
      from_number: from.number,
      dynamic_variables: { name: 'Ada', nested: { n: 1 } },
      metadata: { order: 7 },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workspace_id: workspace,
        agent_id: from.agentId,
        agent_name: 'Ada',
        call_type: 'outbound',
        from_number: from.number,
        to_number,
        status: 'queued',
        duration: null,
        cost: null,
        started_at: null,
        answered_at: null,
        ended_at: null,
        disconnection_reason: null,
        created_at: expect.stringMatching(MILLIS),
        updated_at: expect.stringMatching(MILLIS),
        phone_number_id: from.id,
        call_sid: null,
        recording_url: null,
        recording_sid: null,
        summary: null,
        transcript: null,
        enhanced_transcript: null,
        transcript_json: null,
        transcript_fix_count: 0,
        analysis_data: null,
        dynamic_variables: { name: 'Ada', nested: { n: 1 } },
        metadata: { order: 7 },
        campaign_id: null,
        unresolved_placeholders: [],
      },
    });
    const read = await harness.ask(workspace, 'GET', `/v2/call/${body.data.id}`);
    expect(read.status).toBe(200);
    expect(read.body).toEqual(body);
  });

  it('writes the call and its dial request together', async () => {
    const from = await connect();
    const { body } = await call({ to_number: anyNumber(), from_number: from.number });
    expect(
      await harness.sql.$queryRaw<Json[]>`SELECT * FROM dial_requests WHERE call_id = ${body.data.id}::uuid`,
    ).toMatchObject([
      { state: 'waiting', phone_number_id: from.id, agent_id: from.agentId, campaign_id: null },
    ]);
    expect(
      await harness.sql.$queryRaw<Json[]>`SELECT * FROM calls WHERE id = ${body.data.id}::uuid`,
    ).toMatchObject([{ phase: 'queued', agent_version: 1, rate_cents: 10 }]);
  });

  it('prefers agent_id to the assistant of the number', async () => {
    const from = await connect();
    const chosen = harness.peers.addAgent(workspace, { agent_name: 'Chosen', version: 4 });
    const { status, body } = await call({
      to_number: anyNumber(),
      from_number: from.number,
      agent_id: chosen.agent_id.toUpperCase(),
    });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ agent_id: chosen.agent_id, agent_name: 'Chosen' });
  });

  it('accepts dynamicVariables, the spelling of version 1', async () => {
    const from = await connect();
    const base = { to_number: anyNumber(), from_number: from.number };
    const old = await call({ ...base, dynamicVariables: { a: 1 } });
    expect(old.body.data.dynamic_variables).toEqual({ a: 1 });
    const both = await call({ ...base, dynamic_variables: { b: 2 }, dynamicVariables: { a: 1 } });
    expect(both.body.data.dynamic_variables).toEqual({ b: 2 });
    const none = await call(base);
    expect(none.body.data).toMatchObject({ dynamic_variables: {}, metadata: {} });
  });

  it('[general.22] keeps keys such as __proto__ as data', async () => {
    const from = await connect();
    const body = `{"to_number":"${anyNumber()}","from_number":"${from.number}","metadata":{"__proto__":{"polluted":true}}}`;
    const answer = await harness.ask(workspace, 'POST', '/v2/call', { body });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"metadata":{"__proto__":{"polluted":true}}');
    expect(({} as Json).polluted).toBeUndefined();
  });

  it.each([
    ['to_number', '12025550100'],
    ['to_number', undefined],
    ['to_number', 12_025_550_100],
    ['from_number', '+1 202 555 0100'],
    ['from_number', undefined],
    ['agent_id', 'nobody'],
    ['dynamic_variables', [1]],
    ['dynamicVariables', 'x'],
    ['metadata', null],
  ])('is 422 for %s = %p', async (path, value) => {
    const from = await connect();
    const { status, body } = await call({ to_number: anyNumber(), from_number: from.number, [path]: value });
    expect(status).toBe(422);
    expect(body.error.code).toBe('VALIDATION_FAILED');
    expect(body.error.details[0].path).toBe(path);
    expect(body.error.message).toContain(path);
  });

  it.each(['dynamic_variables', 'dynamicVariables', 'metadata'])(
    '[trust.2] accepts %s of 16 KiB in UTF-8, and is 422 for more',
    async (path) => {
      const from = await connect();
      const bytes = (count: number) => ({ a: 'é'.repeat((count - '{"a":""}'.length) / 2) });
      const send = (value: object) =>
        call({ to_number: anyNumber(), from_number: from.number, [path]: value });
      expect((await send(bytes(16_384))).status).toBe(201);
      const { status, body } = await send(bytes(16_386));
      expect(status).toBe(422);
      expect(body.error.details).toEqual([
        { path, code: 'too_big', message: expect.stringContaining('16384') },
      ]);
    },
  );

  it('is 404 for a from_number of another workspace, like an unknown one', async () => {
    const foreign = await connect(other);
    const agent_id = harness.peers.addAgent(workspace).agent_id;
    const answers = await Promise.all(
      [foreign.number, anyNumber()].map((from_number) =>
        call({ to_number: anyNumber(), from_number, agent_id }),
      ),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body.error.code).toBe('NOT_FOUND');
    }
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('is 404 for an agent_id of another workspace', async () => {
    const from = await connect();
    const foreign = harness.peers.addAgent(other).agent_id;
    for (const agent_id of [foreign, randomUUID()]) {
      const { status, body } = await call({ to_number: anyNumber(), from_number: from.number, agent_id });
      expect(status).toBe(404);
      expect(body.error.code).toBe('NOT_FOUND');
    }
  });

  it('is 404 for an assistant that is being deleted if its message came before the call', async () => {
    const from = await connect();
    const { agent_id } = harness.peers.addAgent(workspace);
    await harness.sql
      .$executeRaw`INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted) VALUES (${agent_id}, ${workspace}, '', 9, true)`;
    const { status } = await call({ to_number: anyNumber(), from_number: from.number, agent_id });
    expect(status).toBe(404);
  });

  it('is 422 without any assistant', async () => {
    const from = await connect(workspace, false);
    const { status, body } = await call({ to_number: anyNumber(), from_number: from.number });
    expect(status).toBe(422);
    expect(body.error.details).toEqual([{ path: 'agent_id', code: 'required', message: expect.any(String) }]);
  });

  it('is 422 for an inactive number [numbers.11]', async () => {
    const from = await connect();
    await harness.callAsService(workspace, 'PUT', `/internal/phone-numbers/${from.id}/activation`, {
      is_active: false,
    });
    const { status, body } = await call({ to_number: anyNumber(), from_number: from.number });
    expect(status).toBe(422);
    expect(body.error.details[0]).toMatchObject({ path: 'from_number', code: 'not_allowed' });
  });

  it('is 403 for a public key', async () => {
    const actor = { kind: 'public_key', id: randomUUID() } as const;
    const answer = await harness.ask(workspace, 'POST', '/v2/call', { body: {}, actor });
    expect(answer.status).toBe(403);
  });

  it('[general.20] replays the response for a repeated Idempotency-Key and dials once', async () => {
    const from = await connect();
    const body = { to_number: anyNumber(), from_number: from.number };
    const headers = { 'idempotency-key': randomUUID() };
    const first = await call(body, workspace, headers);
    const second = await call(body, workspace, headers);
    expect(first.status).toBe(201);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(
      await harness.sql.$queryRaw<Json[]>`SELECT id FROM calls WHERE to_number = ${body.to_number}`,
    ).toHaveLength(1);
    const reused = await call({ ...body, to_number: anyNumber() }, workspace, headers);
    expect(reused.status).toBe(422);
    expect(reused.body.error.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('creates one call for concurrent requests with one key', async () => {
    const from = await connect();
    const body = { to_number: anyNumber(), from_number: from.number };
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 5 }, () => call(body, workspace, headers)));
    for (const { status } of answers) expect([201, 409]).toContain(status);
    expect(
      await harness.sql.$queryRaw<Json[]>`SELECT id FROM calls WHERE to_number = ${body.to_number}`,
    ).toHaveLength(1);
  });
});

describe('[general.19] POST /v2/call at the concurrency limit', () => {
  it('is 429 CONCURRENCY_LIMIT exactly at the limit, under concurrent requests', async () => {
    const busy = newWorkspace();
    harness.peers.setSettings(busy, { max_live_calls: 3 });
    const from = await connect(busy);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call({ to_number: anyNumber(), from_number: from.number }, busy)),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(9);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      expect(body.error.code).toBe('CONCURRENCY_LIMIT');
      expect(headers.get('retry-after')).not.toBeNull();
    }
    expect(
      await harness.sql.$queryRaw<
        Json[]
      >`SELECT call_id FROM dial_requests WHERE workspace_id = ${busy}::uuid`,
    ).toHaveLength(3);
  });

  it('waits with one database connection, however many calls of a workspace are placed at once [trust.1]', async () => {
    const busy = newWorkspace();
    const [from, elsewhere] = [await connect(busy), await connect(other)];
    const place = (of: string, from_number: string) => call({ to_number: anyNumber(), from_number }, of);
    const waiting = async (): Promise<number> => {
      const [row] = await harness.sql.$queryRaw<{ count: number }[]>`
        SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`;
      return row?.count ?? 0;
    };
    let placed: ReturnType<typeof place>[] = [];
    await harness.context.prisma.$transaction(async (tx) => {
      await lockWorkspaceCalls(tx, busy);
      placed = Array.from({ length: 6 }, () => place(busy, from.number));
      await eventually(async () => expect(await waiting()).toBe(1));
      for (let n = 0; n < 3; n += 1) expect((await place(other, elsewhere.number)).status).toBe(201);
      expect(await waiting()).toBe(1);
    });
    expect((await Promise.all(placed)).map(({ status }) => status)).toEqual(Array(6).fill(201));
  });

  it('admits the next call when one is completed, and does not affect other workspaces', async () => {
    const busy = newWorkspace();
    harness.peers.setSettings(busy, { max_live_calls: 1 });
    const from = await connect(busy);
    const ask = () => call({ to_number: anyNumber(), from_number: from.number }, busy);
    const first = await ask();
    expect((await ask()).status).toBe(429);
    const elsewhere = await connect();
    expect((await call({ to_number: anyNumber(), from_number: elsewhere.number })).status).toBe(201);
    await complete(first.body.data.id);
    expect((await ask()).status).toBe(201);
  });

  it('applies the limit that the operator sets', async () => {
    const busy = newWorkspace();
    harness.peers.setSettings(busy, { max_live_calls: 0, rate_cents: 25 });
    const from = await connect(busy);
    const ask = () => call({ to_number: anyNumber(), from_number: from.number }, busy);
    expect((await ask()).status).toBe(429);
    harness.peers.setSettings(busy, { max_live_calls: 1, rate_cents: 25 });
    const { body } = await eventually(async () => {
      const answer = await ask();
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(
      await harness.sql.$queryRaw<Json[]>`SELECT rate_cents FROM calls WHERE id = ${body.data.id}::uuid`,
    ).toEqual([{ rate_cents: 25 }]);
  });
});

describe('POST /v2/call while other services are unavailable', () => {
  it('uses the last known assistant and workspace settings', async () => {
    const from = await connect();
    expect((await call({ to_number: anyNumber(), from_number: from.number })).status).toBe(201);
    harness.peers.assistants.cut();
    harness.peers.gateway.cut();
    try {
      expect((await call({ to_number: anyNumber(), from_number: from.number })).status).toBe(201);
      const agent_id = randomUUID();
      const unknown = await call({ to_number: anyNumber(), from_number: from.number, agent_id });
      expect(unknown.status).toBe(503);
      expect(unknown.body.error.code).toBe('SERVICE_UNAVAILABLE');
      expect(unknown.headers.get('retry-after')).not.toBeNull();
    } finally {
      harness.peers.assistants.restore();
      harness.peers.gateway.restore();
    }
  });
});

async function complete(id: string): Promise<void> {
  await harness.sql
    .$executeRaw`UPDATE calls SET status = 'completed', phase = 'ended', started_at = now(), ended_at = now(), duration = 0,
       cost = 0, disconnection_reason = 'dial_busy' WHERE id = ${id}::uuid`;
}
