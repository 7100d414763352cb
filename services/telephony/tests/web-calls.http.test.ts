import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWebLines } from '../src/store/web-lines.ts';
import { anyNumber, type Harness, newWorkspace, startHarness } from './harness.ts';
import { rowsOf } from './place-call.ts';

const MILLIS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let harness: Harness;
const workspace = newWorkspace();

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const agentOf = (of = workspace) => harness.peers.addAgent(of, { version: 3 }).agent_id;
const start = (body: object, path = '/v2/call/web', of = workspace) =>
  harness.ask(of, 'POST', path, { body });
const publicKey = { kind: 'public_key', id: randomUUID() } as const;

describe('POST /v2/call/web (D6.2)', () => {
  it('answers 201 with the single read and access_token, server_url, expires_at', async () => {
    const agent_id = agentOf();
    const dynamic_variables = { name: 'Ada' };
    const { status, body } = await start({
      agent_id: agent_id.toUpperCase(),
      dynamic_variables,
      metadata: { a: 1 },
    });
    expect(status).toBe(201);
    const { access_token, server_url, expires_at, ...call } = body.data;
    expect(access_token).toEqual(expect.any(String));
    expect(server_url).toBe('https://parley.example/widget/session');
    expect(Date.parse(expires_at) - Date.parse(call.created_at)).toBe(60_000);
    expect(call).toMatchObject({
      workspace_id: workspace,
      agent_id,
      agent_name: 'Ada',
      call_type: 'web',
      status: 'queued',
      disconnection_reason: null,
      dynamic_variables,
      metadata: { a: 1 },
      created_at: expect.stringMatching(MILLIS),
    });
    const read = await harness.ask(workspace, 'GET', `/v2/call/${call.id}`);
    expect(read.body.data).toEqual(call);
  });

  it('has null from_number, to_number, phone_number_id and call_sid everywhere', async () => {
    const { body } = await start({ agent_id: agentOf() });
    const nulls = { from_number: null, to_number: null, call_sid: null };
    expect(body.data).toMatchObject({ ...nulls, phone_number_id: null });
    const list = await harness.ask(workspace, 'POST', '/v2/call/list', { body: { call_id: body.data.id } });
    expect(list.body.data).toMatchObject([{ call_type: 'web', from_number: null, to_number: null }]);
    const legacy = await harness.ask(workspace, 'GET', `/calls?callId=${body.data.id}`);
    expect(legacy.body).toMatchObject({
      ...nulls,
      phone_number_id: null,
      phone_numbers: null,
      call_type: 'web',
    });
  });

  it('is 404 for an assistant that is not of the workspace', async () => {
    for (const agent_id of [agentOf(newWorkspace()), randomUUID()]) {
      const { status, body } = await start({ agent_id });
      expect(status).toBe(404);
      expect(body.error.code).toBe('NOT_FOUND');
    }
  });

  it.each([
    ['agent_id', undefined, 'required'],
    ['agent_id', 'nobody', 'invalid_format'],
    ['dynamic_variables', [1], 'invalid_type'],
    ['metadata', 'x', 'invalid_type'],
  ])('is 422 for %s = %p', async (path, value, code) => {
    const { status, body } = await start({ agent_id: agentOf(), [path]: value });
    expect(status).toBe(422);
    expect(body.error.details[0]).toMatchObject({ path, code });
  });

  it('counts against the calls at once: 429 CONCURRENCY_LIMIT (D1.6)', async () => {
    const of = newWorkspace();
    harness.peers.setSettings(of, { max_live_calls: 3 });
    const agent_id = agentOf(of);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => start({ agent_id }, '/v2/call/web', of)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429]);
    const phone = {
      phone_number: anyNumber(),
      termination_uri: 'sip.example.com',
      outbound_agent_id: agent_id,
    };
    await harness.ask(of, 'POST', '/v1/phone-number/sip', { body: phone });
    const call = { from_number: phone.phone_number, to_number: anyNumber() };
    const refused = await harness.ask(of, 'POST', '/v2/call', { body: call });
    expect(refused.body.error.code).toBe('CONCURRENCY_LIMIT');
  });

  it('replays the answer to a repeated Idempotency-Key (D1.7)', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { agent_id: agentOf(), metadata: { access_token: '' } };
    const ask = () => harness.ask(workspace, 'POST', '/v2/call/web', { body, headers });
    const first = await ask();
    const again = await ask();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    const rows = await rowsOf(harness, 'SELECT 1 FROM calls WHERE agent_id = $1::uuid', body.agent_id);
    expect(rows).toHaveLength(1);
  });

  it.each([['/v2/call/web'], ['/widget/call']])(
    'the record of %s under its Idempotency-Key holds no token (D1.7)',
    async (path) => {
      const key = randomUUID();
      const headers = { 'idempotency-key': key };
      const { body } = await harness.ask(workspace, 'POST', path, {
        body: { agent_id: agentOf() },
        headers,
      });
      const kept = await rowsOf<{ answer: string }>(
        harness,
        'SELECT answer FROM idempotency_keys WHERE key = $1',
        key,
      );
      expect(kept[0]?.answer).toContain(body.data.id);
      expect(kept[0]?.answer).not.toContain(body.data.access_token);
    },
  );

  it('is 403 FORBIDDEN for a public key', async () => {
    const body = { agent_id: agentOf() };
    const { status } = await harness.ask(workspace, 'POST', '/v2/call/web', { body, actor: publicKey });
    expect(status).toBe(403);
  });
});

describe('POST /widget/call (D6.2)', () => {
  it('takes the same body and answers the same, also for a public key', async () => {
    const body = { agent_id: agentOf(), dynamic_variables: { name: 'Ada' } };
    for (const actor of [publicKey, { kind: 'key', id: randomUUID() } as const]) {
      const { status, body: answer } = await harness.ask(workspace, 'POST', '/widget/call', { body, actor });
      expect(status).toBe(201);
      expect(answer.data).toMatchObject({
        call_type: 'web',
        agent_id: body.agent_id,
        access_token: expect.any(String),
        server_url: expect.any(String),
        expires_at: expect.stringMatching(MILLIS),
      });
    }
  });
});

describe('the text channel of a web call', () => {
  const session = (method: string, path: string, token?: string, body?: object) =>
    harness.ask(workspace, method, `/widget/session/${path}`, {
      ...(body ? { body } : {}),
      token: false,
      headers: token === undefined ? {} : { 'x-access-token': token },
    });
  const started = async () => (await start({ agent_id: agentOf() })).body.data;

  it.each([
    ['POST', 'join', undefined],
    ['POST', 'messages', { text: 'Hi' }],
    ['GET', 'messages', undefined],
    ['POST', 'leave', undefined],
  ])('%s %s is 401 without a good token', async (method, path, body) => {
    const { access_token } = await started();
    for (const token of [undefined, '', 'x.y', access_token.slice(0, -2), `${access_token}x`]) {
      const answer = await session(method, path, token, body);
      expect(answer.status).toBe(401);
      expect(answer.body.error.code).toBe('UNAUTHORIZED');
    }
  });

  it('is 409 before the call was joined', async () => {
    const { access_token } = await started();
    expect((await session('POST', 'messages', access_token, { text: 'Hi' })).status).toBe(409);
    expect((await session('POST', 'leave', access_token)).status).toBe(409);
  });

  it('join answers the state of the call, and may be repeated', async () => {
    const { access_token, id } = await started();
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await session('POST', 'join', access_token);
      expect(status).toBe(200);
      expect(body.data).toEqual({ call_id: id, status: 'queued', disconnection_reason: null });
    }
  });

  it('join may be repeated after the minute by whoever has joined within it, and by nobody else', async () => {
    const [joined, late] = [await started(), await started()];
    await session('POST', 'join', joined.access_token);
    const age = `UPDATE calls SET created_at = created_at - interval '61 seconds' WHERE id = ANY ($1::uuid[])`;
    await harness.sql.$executeRawUnsafe(age, [joined.id, late.id]);
    expect((await session('POST', 'join', joined.access_token)).status).toBe(200);
    expect((await session('POST', 'join', late.access_token)).status).toBe(409);
  });

  const channel: [string, string, object | undefined][] = [
    ['POST', 'join', undefined],
    ['POST', 'messages', { text: 'Hi' }],
    ['POST', 'leave', undefined],
  ];

  it.each(channel)('%s %s is 409 once the call is over', async (method, path, body) => {
    const { access_token, id } = await started();
    await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    const answer = await session(method, path, access_token, body);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('a call that was joined, and stopped before a worker took it, is over for whoever joined', async () => {
    const { access_token, id } = await started();
    await session('POST', 'join', access_token);
    const stopped = await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    expect(stopped.body.data).toMatchObject({ status: 'completed', disconnection_reason: 'agent_hangup' });
    for (const [method, path, body] of channel) {
      const answer = await session(method, path, access_token, body);
      expect([answer.status, answer.body.error?.message]).toEqual([409, 'The call is over']);
    }
    // As a request that had looked at the call before it was stopped.
    const { prisma } = harness.context;
    const write = createWebLines(prisma).write(
      prisma,
      { workspaceId: workspace, callId: id },
      'Hi',
      new Date(),
    );
    expect(await write).toBe(false);
    expect(await rowsOf(harness, 'SELECT 1 FROM web_messages WHERE call_id = $1::uuid', id)).toEqual([]);
  });

  it('a token is 401 from five minutes after the end of its call', async () => {
    const { access_token, id } = await started();
    await session('POST', 'join', access_token);
    await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    const ended = async (minutesAgo: number) => {
      const set = 'UPDATE calls SET ended_at = $2 WHERE id = $1::uuid';
      await harness.sql.$executeRawUnsafe(set, id, new Date(Date.now() - minutesAgo * 60_000));
    };
    await ended(4);
    const soon = await session('GET', 'messages', access_token);
    expect(soon.body.data).toMatchObject({ status: 'completed', disconnection_reason: 'agent_hangup' });
    await ended(6);
    for (const [method, path, body] of [...channel, ['GET', 'messages', undefined] as const]) {
      const answer = await session(method, path, access_token, body);
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  it.each([[''], ['   '], ['x'.repeat(2_001)], [7]])('is 422 for the text %p', async (text) => {
    const { access_token } = await started();
    await session('POST', 'join', access_token);
    const { status, body } = await session('POST', 'messages', access_token, { text });
    expect(status).toBe(422);
    expect(body.error.details[0].path).toBe('text');
  });

  it('takes no more than twenty messages that the assistant has not heard', async () => {
    const { access_token } = await started();
    await session('POST', 'join', access_token);
    const say = (i: number) => session('POST', 'messages', access_token, { text: `Line ${i}` });
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => say(i)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  });
});
