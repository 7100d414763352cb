import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { raw } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { timelineOf, untilStatus } from './call-in.ts';
import { type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { FAST, finished, nativeTool, publishedEventsOf, readCall } from './place-call.ts';
import { workerProcess } from './worker-process.ts';

let harness: Harness;
let worker: Awaited<ReturnType<Harness['boot']>> | undefined;

beforeAll(async () => {
  harness = await startHarness({ ...FAST, CLOCK_RATE: '10', PROCESSES: 'api' });
  worker = await harness.boot({ PROCESSES: 'worker' });
});
afterAll(() => harness.close());
afterEach(() => harness.peers.assistants.restore());

type WebCall = { id: string; workspaceId: string; token: string };

async function started(agent: Json = {}, extra: Json = {}): Promise<WebCall> {
  const workspaceId = newWorkspace();
  const { agent_id } = harness.peers.addAgent(workspaceId, agent);
  const body = { agent_id, ...extra };
  const { body: answer } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body });
  return { id: answer.data.id, workspaceId, token: answer.data.access_token };
}

const session = async ({ token }: WebCall, method: string, path: string, body?: object): Promise<Json> => {
  const headers = { 'x-access-token': token };
  return harness.ask('', method, `/widget/session/${path}`, {
    token: false,
    headers,
    ...(body ? { body } : {}),
  });
};
const join = (call: WebCall) => session(call, 'POST', 'join');
const say = (call: WebCall, text: string) => session(call, 'POST', 'messages', { text });
const leave = (call: WebCall) => session(call, 'POST', 'leave');

async function messagesOf(call: WebCall, after?: number): Promise<Json[]> {
  const { body } = await session(call, 'GET', `messages${after === undefined ? '' : `?after=${after}`}`);
  return body.data.messages;
}

const untilSaid = (call: WebCall, count: number) =>
  eventually(async () => {
    const messages = await messagesOf(call);
    expect(messages.length).toBeGreaterThanOrEqual(count);
    return messages;
  });

const random = (bytes: number): string => randomBytes(bytes).toString('base64').slice(0, bytes);

/** The maximum that a page may set, of four and two KiB of JSON. */
const full = { dynamic_variables: { a: random(4_096 - 8) }, metadata: { a: random(2_048 - 8) } };

describe('a web call', () => {
  it.concurrent.each([
    ['short messages', full, () => 'Hi'],
    ['long messages', full, () => random(900)],
    ['long messages and no variables', {}, () => random(2_000)],
  ])('of a public key stores at most 64 KiB, with %s (V6) [trust.30]', async (_, data, text) => {
    const workspaceId = newWorkspace();
    const { agent_id } = harness.peers.addAgent(workspaceId);
    const webCalls = { maxLiveCalls: 10, maxDurationSeconds: 900 };
    const actor = { kind: 'public_key', id: workspaceId, scope: { webCalls } } as const;
    const body = { agent_id, ...data };
    const headers = { 'idempotency-key': random(255).replace(/[^\w]/g, '_') };
    const answer = await harness.ask(workspaceId, 'POST', '/widget/call', { body, actor, headers });
    const call = { id: answer.body.data.id, workspaceId, token: answer.body.data.access_token };
    await join(call);
    await untilSaid(call, 1);
    let last = await say(call, text());
    for (let n = 3; last.status === 202; n += 2) {
      await untilSaid(call, n);
      last = await say(call, text());
    }
    expect(last.body.error.details).toMatchObject([{ path: 'text' }]);
    await leave(call);
    await finished(harness, workspaceId, call.id);
    await eventually(() => expect(publishedEventsOf(harness, call.id)).toContain('call.analyzed'));
    const sizeOf = async (table: string, where: string, value: string) => {
      const [row] = await harness.sql.$queryRaw<
        { bytes: number }[]
      >`SELECT coalesce(sum(octet_length(to_json(t)::text)), 0)::int AS bytes FROM ${raw(table)} t WHERE ${raw(where)} = ${value}${raw(where === 'key' ? '' : '::uuid')}`;
      return row?.bytes ?? 0;
    };
    let stored = await sizeOf('idempotency_keys', 'key', headers['idempotency-key']);
    stored += await sizeOf('calls', 'id', call.id);
    for (const table of ['turns', 'call_events']) stored += await sizeOf(table, 'call_id', call.id);
    expect(await sizeOf('web_messages', 'call_id', call.id)).toBe(0);
    // Rows of the outbox last until they are published.
    await eventually(async () => expect(await sizeOf('outbox', 'workspace_id', workspaceId)).toBe(0));
    const messages = (['call.started', 'call.ended', 'call.analyzed'] as const).flatMap((type) =>
      harness.bus.received(type).filter(({ data }) => data.call_id === call.id),
    );
    expect(messages.length).toBe(3);
    // Each is a row of the events of the webhooks service.
    const sent = messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
    expect(stored + sent).toBeLessThan(64 * 1024);
  });

  it.concurrent('of a public key ends with `timeout` after its max_call_duration [trust.7]', async () => {
    const workspaceId = newWorkspace();
    const { agent_id } = harness.peers.addAgent(workspaceId);
    const webCalls = { maxLiveCalls: 10, maxDurationSeconds: 20 };
    const actor = { kind: 'public_key', id: workspaceId, scope: { webCalls } } as const;
    const { body } = await harness.ask(workspaceId, 'POST', '/widget/call', { body: { agent_id }, actor });
    const call = { id: body.data.id, workspaceId, token: body.data.access_token };
    await join(call);
    await say(call, 'What are your opening hours?');
    const ended = await finished(harness, workspaceId, call.id);
    expect(ended.disconnection_reason).toBe('timeout');
    expect(ended.duration).toBeGreaterThanOrEqual(20);
    expect(ended.duration).toBeLessThan(28);
  });

  it.concurrent('without a join ends after 60 seconds: error_user_not_joined', async () => {
    const { id, workspaceId } = await started();
    const call = await finished(harness, workspaceId, id);
    expect(call).toMatchObject({
      status: 'completed',
      disconnection_reason: 'error_user_not_joined',
      answered_at: null,
      duration: 0,
      cost: 0,
    });
    expect(Date.parse(call.ended_at) - Date.parse(call.created_at)).toBe(60_000);
    await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']));
    const [ended] = harness.bus.received('call.ended').filter(({ data }) => data.call_id === id);
    expect(ended?.data).toMatchObject({ call_type: 'web', from_number: null, to_number: null });
    const legacy = await harness.ask(workspaceId, 'GET', `/calls?callId=${id}`);
    expect(legacy.body.disconnection_reason).toBe('error');
    const types = (await timelineOf(harness, workspaceId, id)).map(({ type }) => type);
    expect(types).toEqual(['queued', 'ended', 'analyzed']);
  });

  it.concurrent('is answered by its assistant once joined, which hears what is written and answers until the human leaves', async () => {
    const call = await started({}, { dynamic_variables: { name: 'Ada' } });
    expect((await join(call)).status).toBe(200);
    const [greeting] = await untilSaid(call, 1);
    expect(greeting).toMatchObject({ role: 'agent', content: 'Hello, how can I help you?' });
    await untilStatus(harness, call.workspaceId, call.id, 'in-progress');
    expect((await say(call, 'What are your opening hours?')).status).toBe(202);
    const said = await untilSaid(call, 3);
    expect(said.map(({ role }) => role)).toEqual(['agent', 'user', 'agent']);
    expect(said[1].content).toBe('What are your opening hours?');
    expect(await messagesOf(call, said[1].seq)).toEqual([said[2]]);
    const left = await leave(call);
    expect(left.status).toBe(200);
    const read = await finished(harness, call.workspaceId, call.id);
    expect(read).toMatchObject({
      disconnection_reason: 'user_hangup',
      from_number: null,
      to_number: null,
      phone_number_id: null,
      call_sid: null,
      dynamic_variables: { name: 'Ada' },
    });
    expect(read.duration).toBeGreaterThan(0);
    expect(read.transcript_json.conversation).toHaveLength(3);
    await eventually(() =>
      expect(publishedEventsOf(harness, call.id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );
    const [analyzed] = harness.bus.received('call.analyzed').filter(({ data }) => data.call_id === call.id);
    expect(analyzed?.data).toMatchObject({ call_type: 'web', call_sid: null, from_number: null });
    expect((await say(call, 'Hello?')).status).toBe(409);
    expect((await session(call, 'GET', 'messages')).body.data).toMatchObject({
      status: 'completed',
      disconnection_reason: 'user_hangup',
    });
  });

  it.concurrent('ends as agent_hangup when the assistant ends it, and when it is stopped [web-calls.1]', async () => {
    const ended = await started({ tools: [nativeTool('end_call')] });
    await join(ended);
    await untilSaid(ended, 1);
    await say(ended, 'That is all, goodbye. Please end the call.');
    const stopped = await started();
    await join(stopped);
    await untilStatus(harness, stopped.workspaceId, stopped.id, 'in-progress');
    await harness.ask(stopped.workspaceId, 'POST', `/v2/call/${stopped.id}/stop`);
    for (const { id, workspaceId } of [ended, stopped]) {
      expect((await finished(harness, workspaceId, id)).disconnection_reason).toBe('agent_hangup');
    }
  });

  it.concurrent('can be stopped while it waits', async () => {
    const { id, workspaceId } = await started();
    const { status, body } = await harness.ask(workspaceId, 'POST', `/v2/call/${id}/stop`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ status: 'completed', disconnection_reason: 'agent_hangup' });
  });

  it.concurrent('cannot be joined after its minute', async () => {
    const call = await started();
    await finished(harness, call.workspaceId, call.id);
    expect((await join(call)).status).toBe(409);
  });

  it.concurrent('ends by the silence timeout if its client says nothing', async () => {
    const call = await started({ config: { firstMessage: 'Hello.', settings: { silenceTimeout: 5 } } });
    await join(call);
    expect((await finished(harness, call.workspaceId, call.id)).disconnection_reason).toBe('agent_hangup');
  });

  it.concurrent('ends with error when its assistant is deleted before the join [calls.16]', async () => {
    const call = await started();
    const { agent_id } = await readCall(harness, call.workspaceId, call.id);
    harness.peers.removeAgent(agent_id);
    await join(call);
    expect((await finished(harness, call.workspaceId, call.id)).disconnection_reason).toBe('error');
  });

  it.concurrent('cannot be transferred, and the assistant is informed', async () => {
    const transfer = nativeTool('transfer_call', {
      transfer_call_mode: 'static',
      transfer_call_destination: '+12025550199',
      transfer_call_type: 'cold',
    });
    const call = await started({ tools: [transfer] });
    await join(call);
    await untilSaid(call, 1);
    await say(call, 'Please use the first of your tools.');
    await untilSaid(call, 3);
    expect(
      await harness.sql.$queryRaw<
        unknown[]
      >`SELECT error FROM tool_executions WHERE call_id = ${call.id}::uuid`,
    ).toEqual([{ error: expect.any(String) }]);
    await leave(call);
    expect((await finished(harness, call.workspaceId, call.id)).disconnection_reason).toBe('user_hangup');
  });
});

describe('a web call whose worker is killed', () => {
  it('continues in another one: messages sent meanwhile are heard, and none twice', async () => {
    await worker?.stop();
    worker = undefined;
    const first = await workerProcess(harness);
    const call = await started({
      config: { firstMessage: 'Hello.', settings: { silenceTimeout: 600 } },
    });
    await join(call);
    await untilSaid(call, 1);
    await say(call, 'One.');
    await untilSaid(call, 3);
    await first.kill('SIGKILL');
    await say(call, 'Two.');
    await say(call, 'Three.');
    worker = await harness.boot({ PROCESSES: 'worker' });
    const said = await untilSaid(call, 7);
    const user = said.filter(({ role }) => role === 'user').map(({ content }) => content);
    expect(user).toEqual(['One.', 'Two.', 'Three.']);
    await leave(call);
    expect((await finished(harness, call.workspaceId, call.id)).disconnection_reason).toBe('user_hangup');
    await eventually(() =>
      expect(publishedEventsOf(harness, call.id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );
  });

  it('before its assistant answered is answered by another one', async () => {
    await worker?.stop();
    const first = await workerProcess(harness);
    const call = await started();
    // Without the assistants service no assistant is selected.
    harness.peers.assistants.cut();
    await join(call);
    await untilStatus(harness, call.workspaceId, call.id, 'ringing');
    await first.kill('SIGKILL');
    worker = await harness.boot({ PROCESSES: 'worker' });
    harness.peers.assistants.restore();
    await untilSaid(call, 1);
    await leave(call);
    expect((await finished(harness, call.workspaceId, call.id)).disconnection_reason).toBe('user_hangup');
  });

  it('between the answer and its record is answered once', async () => {
    await worker?.stop();
    const first = await workerProcess(harness);
    const call = await started();
    await join(call);
    await untilSaid(call, 1);
    await first.kill('SIGKILL');
    // As if it had been killed immediately after it wrote to the line.
    await harness.sql
      .$executeRaw`UPDATE calls SET phase = 'ringing', status = 'ringing', answered_at = NULL WHERE id = ${call.id}::uuid`;
    const starts = () => publishedEventsOf(harness, call.id).filter((type) => type === 'call.started').length;
    await eventually(() => expect(starts()).toBe(1));
    worker = await harness.boot({ PROCESSES: 'worker' });
    await untilStatus(harness, call.workspaceId, call.id, 'in-progress');
    await leave(call);
    await finished(harness, call.workspaceId, call.id);
    await eventually(() => expect(publishedEventsOf(harness, call.id)).toContain('call.analyzed'));
    // Messages that the dead worker had not written are published, once.
    expect(starts()).toBe(2);
  });
});
