import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { NO_AGENT_ID } from '../src/sessions/call.ts';
import { callIn, inboundNumber, ringUp, timelineOf, untilStatus } from './call-in.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { FAST, finished, publishedEventsOf, readCall } from './place-call.ts';

const SID = `AC${'0123456789abcdef'.repeat(2)}`;

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ ...FAST, CLOCK_RATE: '20' });
});
afterAll(() => harness.close());
afterEach(() => harness.peers.assistants.restore());

const linesOf = (call: Json, role: string): string[] =>
  call.transcript_json.conversation
    .filter((turn: Json) => turn.role === role)
    .map(({ content }: Json) => content);

describe('POST /simulator/inbound [running.2] [numbers.5]', () => {
  it('answers 202 with the id of a call that can be read at once', async () => {
    const number = await inboundNumber(harness);
    const from_number = anyNumber();
    const beganMs = performance.now();
    const { status, body } = await ringUp(harness, number, { from_number });
    const tookMs = performance.now() - beganMs;
    expect(status).toBe(202);
    expect(body).toEqual({ success: true, data: { call_id: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
    const read = () => readCall(harness, number.workspaceId, body.data.call_id);
    // The request waits at most two seconds for the worker.
    if (tookMs > 1_900) await eventually(async () => expect(await read()).toBeDefined());
    expect(await read()).toMatchObject({
      call_type: 'inbound',
      from_number,
      to_number: number.phoneNumber,
      phone_number_id: number.id,
      agent_id: number.agent.agent_id,
      call_sid: expect.any(String),
    });
  });

  it('reaches each of two workspaces with the same number, by the trunk before the number [numbers.5]', async () => {
    const first = await inboundNumber(harness);
    const second = await inboundNumber(harness, { number: { phone_number: first.phoneNumber } });
    for (const number of [first, second]) {
      const id = await callIn(harness, number);
      expect(await finished(harness, number.workspaceId, id)).toMatchObject({
        phone_number_id: number.id,
        agent_id: number.agent.agent_id,
      });
    }
  });

  it("is answered by the number's inbound assistant; the human says the script, a line per turn, and hangs up", async () => {
    const number = await inboundNumber(harness);
    const script = ['Hello there.', 'What time is it?', 'Thanks, that is all.'];
    const id = await callIn(harness, number, { script });
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({
      status: 'completed',
      disconnection_reason: 'user_hangup',
      agent_name: number.agent.agent_name,
    });
    expect(linesOf(call, 'user')).toEqual(script);
    expect(linesOf(call, 'agent')[0]).toBe('Hello, how can I help you?');
    expect(call.duration).toBeGreaterThan(0);
    expect(call.cost).toBe(Math.ceil((call.duration * 10) / 60));
    await eventually(() =>
      expect(publishedEventsOf(harness, id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );
    const [ended] = harness.bus.received('call.ended').filter(({ data }) => data.call_id === id);
    expect(ended?.data).toMatchObject({
      call_type: 'inbound',
      to_number: number.phoneNumber,
      retryable: false,
    });
    const types = (await timelineOf(harness, number.workspaceId, id)).map(({ type }) => type);
    expect(types.slice(0, 3)).toEqual(['queued', 'ringing', 'answered']);
    expect(types).toEqual(expect.arrayContaining(['turn', 'ended', 'analyzed']));
  });

  it("without a script the human's lines depend on the caller's number: the same each time", async () => {
    const number = await inboundNumber(harness);
    const from_number = anyNumber();
    const ids = [
      await callIn(harness, number, { from_number }),
      await callIn(harness, number, { from_number }),
    ];
    const [first, second] = await Promise.all(ids.map((id) => finished(harness, number.workspaceId, id)));
    expect(linesOf(first, 'user').length).toBeGreaterThan(2);
    expect(linesOf(second, 'user')).toEqual(linesOf(first, 'user'));
  });

  it('hangs up at once after an empty script', async () => {
    const number = await inboundNumber(harness);
    const call = await finished(harness, number.workspaceId, await callIn(harness, number, { script: [] }));
    expect(call.disconnection_reason).toBe('user_hangup');
    expect(linesOf(call, 'user')).toEqual([]);
  });

  it('is 404 for a number of another workspace, like an unknown one', async () => {
    const number = await inboundNumber(harness);
    const foreign = await ringUp(harness, { ...number, workspaceId: newWorkspace() });
    const missing = await ringUp(harness, { workspaceId: newWorkspace(), phoneNumber: anyNumber() });
    expect(foreign.status).toBe(404);
    expect(missing.text).toBe(foreign.text);
  });

  it.each([
    ['from_number', '123', 'invalid_format'],
    ['to_number', undefined, 'required'],
    ['script', 'Hello', 'invalid_type'],
    ['script.0', [''], 'too_small'],
    ['script', Array.from({ length: 201 }, () => 'Hi.'), 'too_big'],
  ])('is 422 and reports %s (case %#)', async (path, value, code) => {
    const number = await inboundNumber(harness);
    const { status, body } = await ringUp(harness, number, { [path.split('.')[0] ?? path]: value });
    expect(status).toBe(422);
    expect(body.error.details[0]).toMatchObject({ path, code });
  });

  it('is 422 for an imported number whose webhook was never set, which inbound calls require', async () => {
    const workspaceId = newWorkspace();
    const agent = harness.peers.addAgent(workspaceId);
    const body = {
      phone_number: anyNumber(),
      telco_account_sid: SID,
      telco_auth_token: 'token',
      inbound_agent_id: agent.agent_id,
    };
    const { id } = (await harness.ask(workspaceId, 'POST', '/v1/phone-number/telco', { body })).body.data;
    const number = { id, workspaceId, phoneNumber: body.phone_number, agent };
    const refused = await ringUp(harness, number);
    expect(refused.status).toBe(422);
    expect(refused.body.error.message).toContain('telco-webhook');
    await harness.ask(workspaceId, 'POST', `/v1/phone-number/${id}/telco-webhook`);
    const call = await finished(harness, workspaceId, await callIn(harness, number, { script: ['Hi.'] }));
    expect(call.disconnection_reason).toBe('user_hangup');
  });

  it('rings once per Idempotency-Key, however often it is sent', async () => {
    const number = await inboundNumber(harness);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { from_number: anyNumber(), to_number: number.phoneNumber, script: [] };
    const ask = () => harness.ask(number.workspaceId, 'POST', '/simulator/inbound', { body, headers });
    const first = await ask();
    expect((await ask()).text).toBe(first.text);
    expect(
      await harness.sql.$queryRaw<
        unknown[]
      >`SELECT 1 FROM simulated_legs WHERE to_number = ${number.phoneNumber}`,
    ).toHaveLength(1);
  });

  it('does not exist in production', async () => {
    const production = await harness.boot({
      NODE_ENV: 'production',
      CLOCK_RATE: '1',
      PROCESSES: 'api',
    });
    const response = await fetch(`${production.url}/simulator/inbound`, { method: 'POST' });
    expect(response.status).toBe(404);
    await production.stop();
  });
});

describe('an inbound call without an assistant [calls.16]', () => {
  it('ends as call_rejected if no assistant is assigned (null)', async () => {
    const number = await inboundNumber(harness, { number: { inbound_agent_id: null } });
    const id = await callIn(harness, number);
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({
      disconnection_reason: 'call_rejected',
      answered_at: null,
      duration: 0,
      cost: 0,
      agent_id: NO_AGENT_ID,
      agent_name: null,
    });
    await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']));
    const legacy = await harness.ask(number.workspaceId, 'GET', `/calls?callId=${id}`);
    expect(legacy.body.disconnection_reason).toBe('error');
    const ended = (await timelineOf(harness, number.workspaceId, id)).find(({ type }) => type === 'ended');
    expect(ended).toMatchObject({ cause: 'no_assistant', disconnection_reason: 'call_rejected' });
  });

  it('ends as call_rejected if the assistant no longer exists', async () => {
    const number = await inboundNumber(harness);
    harness.peers.removeAgent(number.agent.agent_id);
    const call = await finished(harness, number.workspaceId, await callIn(harness, number));
    expect(call.disconnection_reason).toBe('call_rejected');
  });

  it("ends as call_rejected at the workspace's concurrency limit [general.19]", async () => {
    const number = await inboundNumber(harness);
    harness.peers.setSettings(number.workspaceId, { max_live_calls: 1 });
    // Long enough that the second call arrives during the first one, even on a busy machine.
    const first = await callIn(harness, number, { script: Array.from({ length: 60 }, () => 'Wait.') });
    await untilStatus(harness, number.workspaceId, first, 'in-progress');
    const second = await callIn(harness, number);
    const call = await finished(harness, number.workspaceId, second);
    expect(call).toMatchObject({ disconnection_reason: 'call_rejected', agent_id: number.agent.agent_id });
    const ended = (await timelineOf(harness, number.workspaceId, second)).find(
      ({ type }) => type === 'ended',
    );
    expect(ended).toMatchObject({ cause: 'too_many_calls' });
    expect((await finished(harness, number.workspaceId, first)).disconnection_reason).toBe('user_hangup');
    const third = await finished(harness, number.workspaceId, await callIn(harness, number, { script: [] }));
    expect(third.disconnection_reason).toBe('user_hangup');
  });
});

describe('an inbound call that is answered', () => {
  it('is also answered on an inactive number: only outbound calls require an active one', async () => {
    const number = await inboundNumber(harness);
    await harness.callAsService(
      number.workspaceId,
      'PUT',
      `/internal/phone-numbers/${number.id}/activation`,
      {
        is_active: false,
      },
    );
    const call = await finished(
      harness,
      number.workspaceId,
      await callIn(harness, number, { script: ['Hi.'] }),
    );
    expect(call.disconnection_reason).toBe('user_hangup');
  });

  it('may come from a number on the do-not-call list', async () => {
    const number = await inboundNumber(harness);
    const from_number = anyNumber();
    const body = { phone_numbers: [from_number] };
    await harness.ask(number.workspaceId, 'POST', '/v1/do-not-call', { body });
    const id = await callIn(harness, number, { from_number, script: ['Hi.'] });
    expect((await finished(harness, number.workspaceId, id)).disconnection_reason).toBe('user_hangup');
  });

  it('ends as user_hangup when the caller hangs up before the answer', async () => {
    const number = await inboundNumber(harness);
    harness.peers.assistants.cut();
    const id = await callIn(harness, number);
    await untilStatus(harness, number.workspaceId, id, 'ringing');
    // The caller has hung up; the next worker that queries the carrier takes the call.
    await harness.sql
      .$executeRaw`UPDATE simulated_legs SET gives_up_at = originated_at, ended_at = ${harness.context.clock.now()}, ended_cause = ${'remote'} WHERE reference = ${id}::uuid`;
    await harness.sql.$executeRaw`UPDATE calls SET fence = fence + 1 WHERE id = ${id}::uuid`;
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({
      disconnection_reason: 'user_hangup',
      answered_at: null,
      duration: 0,
      cost: 0,
    });
  });

  it('rings until its assistant is reachable', async () => {
    const number = await inboundNumber(harness);
    harness.peers.assistants.cut();
    const id = await callIn(harness, number, { script: ['Hi.'] });
    await untilStatus(harness, number.workspaceId, id, 'ringing');
    harness.peers.assistants.restore();
    expect((await finished(harness, number.workspaceId, id)).disconnection_reason).toBe('user_hangup');
  });

  it('can be stopped while it rings [web-calls.1]', async () => {
    const number = await inboundNumber(harness);
    harness.peers.assistants.cut();
    const id = await callIn(harness, number);
    await untilStatus(harness, number.workspaceId, id, 'ringing');
    const { status } = await harness.ask(number.workspaceId, 'POST', `/v2/call/${id}/stop`);
    expect(status).toBe(200);
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ disconnection_reason: 'agent_hangup', answered_at: null });
  });
});
