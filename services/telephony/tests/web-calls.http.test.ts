import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Actor } from '@parley/kit/http';
import { createWebLines } from '../src/web-calls/web-lines.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';

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

describe('POST /v2/call/web [web-calls.1]', () => {
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

  it('is 404 for an assistant of another workspace', async () => {
    for (const agent_id of [agentOf(newWorkspace()), randomUUID()]) {
      const { status, body } = await start({ agent_id });
      expect(status).toBe(404);
      expect(body.error.code).toBe('NOT_FOUND');
    }
  });

  it('accepts dynamicVariables, the spelling of version 1, also from a public key', async () => {
    const of = newWorkspace();
    const old = { agent_id: agentOf(of), dynamicVariables: { a: 1 } };
    const both = { ...old, dynamic_variables: { b: 2 } };
    for (const path of ['/v2/call/web', '/widget/call']) {
      expect((await start(old, path, of)).body.data.dynamic_variables).toEqual({ a: 1 });
      expect((await start(both, path, of)).body.data.dynamic_variables).toEqual({ b: 2 });
    }
    const { body } = await harness.ask(of, 'POST', '/widget/call', { body: old, actor: publicKey });
    expect(body.data.dynamic_variables).toEqual({ a: 1 });
  });

  it.each([
    ['agent_id', undefined, 'required'],
    ['agent_id', 'nobody', 'invalid_format'],
    ['dynamic_variables', [1], 'invalid_type'],
    ['dynamicVariables', 'x', 'invalid_type'],
    ['dynamicVariables', { a: 'x'.repeat(16_384) }, 'too_big'],
    ['metadata', 'x', 'invalid_type'],
    ['dynamic_variables', { a: 'x'.repeat(16_384) }, 'too_big'],
    ['metadata', { a: 'x'.repeat(16_384) }, 'too_big'],
  ])('is 422 for %s = %p', async (path, value, code) => {
    const { status, body } = await start({ agent_id: agentOf(), [path]: value });
    expect(status).toBe(422);
    expect(body.error.details[0]).toMatchObject({ path, code });
  });

  it('counts towards the concurrency limit: 429 CONCURRENCY_LIMIT [general.19]', async () => {
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

  it('replays the response for a repeated Idempotency-Key [general.20]', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { agent_id: agentOf(), metadata: { access_token: '' } };
    const ask = () => harness.ask(workspace, 'POST', '/v2/call/web', { body, headers });
    const first = await ask();
    const again = await ask();
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(first.text);
    const rows = await harness.sql.$queryRaw<
      unknown[]
    >`SELECT 1 FROM calls WHERE agent_id = ${body.agent_id}::uuid`;
    expect(rows).toHaveLength(1);
  });

  it.each([['/v2/call/web'], ['/widget/call']])(
    'the record of %s under its Idempotency-Key contains no token [general.20]',
    async (path) => {
      const key = randomUUID();
      const headers = { 'idempotency-key': key };
      const { body } = await harness.ask(workspace, 'POST', path, {
        body: { agent_id: agentOf() },
        headers,
      });
      const kept = await harness.sql.$queryRaw<
        { answer: string }[]
      >`SELECT answer FROM idempotency_keys WHERE key = ${key}`;
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

describe('POST /widget/call [web-calls.1]', () => {
  it('accepts the same body and returns the same, also for a public key', async () => {
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

describe('a call created by a public key ([trust.7], V5, V6)', () => {
  const publicKeyWith = (webCalls: object, scope: object = {}) => ({
    kind: 'public_key' as const,
    id: randomUUID(),
    scope: { ...scope, webCalls: { maxLiveCalls: 10, maxDurationSeconds: 900, ...webCalls } },
  });
  const widget = (of: string, actor: Actor, body: object, url?: string) =>
    harness.ask(of, 'POST', '/widget/call', {
      body: { agent_id: agentOf(of), ...body },
      actor,
      ...(url ? { url } : {}),
    });
  const codesOf = (answers: Json[]) => answers.map(({ status, body }) => body.error?.code ?? status).sort();
  const times = <T>(count: number, act: (i: number) => T) =>
    Promise.all(Array.from({ length: count }, (_, i) => act(i)));

  it('has its own max_live_calls, exactly, also across two replicas', async () => {
    const of = newWorkspace();
    const other = await harness.boot();
    const actor = publicKeyWith({ maxLiveCalls: 3 });
    const answers = await times(10, (i) => widget(of, actor, {}, i % 2 === 0 ? harness.url : other.url));
    await other.stop();
    expect(codesOf(answers)).toEqual([201, 201, 201, ...Array(7).fill('CONCURRENCY_LIMIT')]);
    // Ended calls free their slots.
    const { id } = answers.find(({ status }) => status === 201)?.body.data ?? {};
    await harness.ask(of, 'POST', `/v2/call/${id}/stop`);
    expect((await widget(of, actor, {})).status).toBe(201);
  });

  it("leaves a quarter of the workspace's calls to others, however many public keys there are", async () => {
    const of = newWorkspace();
    harness.peers.setSettings(of, { max_live_calls: 8 });
    const answers = await times(12, () => widget(of, publicKeyWith({}), {}));
    expect(codesOf(answers)).toEqual([...Array(6).fill(201), ...Array(6).fill('CONCURRENCY_LIMIT')]);
    const own = await times(3, () => start({ agent_id: agentOf(of) }, '/v2/call/web', of));
    expect(codesOf(own)).toEqual([201, 201, 'CONCURRENCY_LIMIT']);
  });

  it("leaves a quarter of the day's spend to others [trust.8]", async () => {
    const of = newWorkspace();
    harness.peers.setSettings(of, { daily_spend_limit_cents: 40 });
    const answers = await times(5, () => widget(of, publicKeyWith({}), {}));
    expect(codesOf(answers)).toEqual([201, 201, 201, 'FORBIDDEN', 'FORBIDDEN']);
    const { message } = answers.find(({ status }) => status === 403)?.body.error ?? {};
    expect(message).toMatch(/daily_spend_limit_cents leaves to public keys$/);
    const own = await times(2, () => start({ agent_id: agentOf(of) }, '/v2/call/web', of));
    expect(codesOf(own)).toEqual([201, 'FORBIDDEN']);
  });

  it('is 403 for an assistant outside of agent_ids, whether it exists or not', async () => {
    const workspace = newWorkspace();
    const [mine, another] = [agentOf(workspace), agentOf(workspace)];
    const actor = publicKeyWith({}, { agentIds: [mine] });
    expect((await widget(workspace, actor, { agent_id: mine.toUpperCase() })).status).toBe(201);
    for (const agent_id of [another, randomUUID()]) {
      const { status, body } = await widget(workspace, actor, { agent_id });
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
    }
  });

  it.each(['dynamic_variables', 'dynamicVariables'])(
    'is 422 for variables that pages may not set, in %s',
    async (field) => {
      const workspace = newWorkspace();
      const actor = publicKeyWith({ variables: ['name'] });
      expect((await widget(workspace, actor, { [field]: { name: 'Ada' } })).status).toBe(201);
      const answer = await widget(workspace, actor, { [field]: { name: 'Ada', price: '0' } });
      expect([answer.status, answer.body.error.details]).toEqual([
        422,
        [{ path: `${field}.price`, code: 'not_allowed', message: expect.any(String) }],
      ]);
      const none = publicKeyWith({ variables: [] });
      expect((await widget(workspace, none, { [field]: { a: 1 } })).status).toBe(422);
    },
  );

  it.each([
    ['dynamic_variables', 4_096],
    ['dynamicVariables', 4_096],
    ['metadata', 2_048],
  ])('is 422 if %s has more than %d bytes', async (path, most) => {
    const workspace = newWorkspace();
    // {"a":"…"}, of two bytes each.
    const fits = { a: 'é'.repeat((most - 8) / 2) };
    expect((await widget(workspace, publicKeyWith({}), { [path]: fits })).status).toBe(201);
    const { status, body } = await widget(workspace, publicKeyWith({}), { [path]: { a: `${fits.a}x` } });
    expect([status, body.error.details]).toMatchObject([422, [{ path, code: 'too_big' }]]);
  });

  it('accepts 55 messages, or two long ones, and fewer after many variables [trust.30]', async () => {
    const workspace = newWorkspace();
    const say = (token: string, text: string) =>
      harness.ask(workspace, 'POST', '/widget/session/messages', {
        body: { text },
        token: false,
        headers: { 'x-access-token': token },
      });
    const joined = async (data: object = {}) => {
      const { body } = await widget(workspace, publicKeyWith({}), data);
      const { access_token, id } = body.data;
      const headers = { 'x-access-token': access_token };
      await harness.ask(workspace, 'POST', '/widget/session/join', { token: false, headers });
      return { id, token: access_token as string };
    };
    const long = await joined();
    // Three bytes each.
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await say(long.token, '語'.repeat(1_800)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 409]);
    const full = await joined({ dynamic_variables: { a: 'x'.repeat(4_000) } });
    expect((await say(full.token, '語'.repeat(1_800))).status).toBe(202);
    expect((await say(full.token, '語'.repeat(1_800))).status).toBe(409);
    const many = await joined();
    await harness.sql
      .$executeRaw`INSERT INTO web_messages SELECT ${many.id}::uuid, n, 'x', now() FROM generate_series(0, 53) n`;
    await harness.sql.$executeRaw`INSERT INTO turns (call_id, seq, role, content, at)
      SELECT ${many.id}::uuid, n, 'user', 'x', now() FROM generate_series(0, 53) n`;
    expect([(await say(many.token, 'x')).status, (await say(many.token, 'x')).status]).toEqual([202, 409]);
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
  ])('%s %s is 401 without a valid token', async (method, path, body) => {
    const { access_token } = await started();
    for (const token of [undefined, '', 'x.y', access_token.slice(0, -2), `${access_token}x`]) {
      const answer = await session(method, path, token, body);
      expect(answer.status).toBe(401);
      expect(answer.body.error.code).toBe('UNAUTHORIZED');
    }
  });

  it('is 409 before the call is joined', async () => {
    const { access_token } = await started();
    expect((await session('POST', 'messages', access_token, { text: 'Hi' })).status).toBe(409);
    expect((await session('POST', 'leave', access_token)).status).toBe(409);
  });

  it('join returns the state of the call, and may be repeated', async () => {
    const { access_token, id } = await started();
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await session('POST', 'join', access_token);
      expect(status).toBe(200);
      expect(body.data).toEqual({ call_id: id, status: 'queued', disconnection_reason: null });
    }
  });

  it('join may be repeated after the minute only by a client that joined within it', async () => {
    const [joined, late] = [await started(), await started()];
    await session('POST', 'join', joined.access_token);
    await harness.sql
      .$executeRaw`UPDATE calls SET created_at = created_at - interval '61 seconds' WHERE id = ANY (${[joined.id, late.id]}::uuid[])`;
    expect((await session('POST', 'join', joined.access_token)).status).toBe(200);
    expect((await session('POST', 'join', late.access_token)).status).toBe(409);
  });

  const channel: [string, string, object | undefined][] = [
    ['POST', 'join', undefined],
    ['POST', 'messages', { text: 'Hi' }],
    ['POST', 'leave', undefined],
  ];

  it.each(channel)('%s %s is 409 once the call has ended', async (method, path, body) => {
    const { access_token, id } = await started();
    await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    const answer = await session(method, path, access_token, body);
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('a call that was joined, and stopped before a worker took it, has ended for its client', async () => {
    const { access_token, id } = await started();
    await session('POST', 'join', access_token);
    const stopped = await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    expect(stopped.body.data).toMatchObject({ status: 'completed', disconnection_reason: 'agent_hangup' });
    for (const [method, path, body] of channel) {
      const answer = await session(method, path, access_token, body);
      expect([answer.status, answer.body.error?.message]).toEqual([409, 'The call is over']);
    }
    // As a request that read the call before it was stopped.
    const { prisma } = harness.context;
    const write = createWebLines(prisma).write(
      prisma,
      { workspaceId: workspace, callId: id },
      'Hi',
      new Date(),
    );
    expect(await write).toBe('over');
    expect(
      await harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM web_messages WHERE call_id = ${id}::uuid`,
    ).toEqual([]);
  });

  it('a token is 401 from five minutes after the end of its call [web-calls.1]', async () => {
    const { access_token, id } = await started();
    await session('POST', 'join', access_token);
    await harness.ask(workspace, 'POST', `/v2/call/${id}/stop`);
    const ended = async (minutesAgo: number) => {
      const at = new Date(Date.now() - minutesAgo * 60_000);
      await harness.sql.$executeRaw`UPDATE calls SET ended_at = ${at} WHERE id = ${id}::uuid`;
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

  it('accepts at most twenty messages that the assistant has not heard', async () => {
    const { access_token } = await started();
    await session('POST', 'join', access_token);
    const say = (i: number) => session('POST', 'messages', access_token, { text: `Line ${i}` });
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => say(i)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(5);
    // Unlike the refusal of a call that is over.
    expect(refused[0]?.body.error.details).toEqual([
      { path: 'text', code: 'too_big', message: expect.any(String) },
    ]);
  });
});
