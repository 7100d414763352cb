import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callInboundEvent } from '@parley/contracts';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { callIn, type InboundNumber, inboundNumber, timelineOf } from './call-in.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { FAST, finished, publishedEventsOf } from './place-call.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

let harness: Harness;
let client: Receiver;
let paths = 0;

beforeAll(async () => {
  client = await receiver();
  harness = await startHarness({ ...FAST, CLOCK_RATE: '20', OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8' });
});
afterAll(async () => {
  await harness.close();
  await client.close();
});

type Hook = { number: InboundNumber; path: string };

/** A number whose inbound webhook has its own path. */
async function hooked(number: Record<string, unknown> = {}): Promise<Hook> {
  paths += 1;
  const path = `/hook/${paths}`;
  const made = await inboundNumber(harness, {
    number: { inbound_webhook_url: `${client.url}${path}`, ...number },
  });
  harness.peers.setSettings(made.workspaceId, { webhook_secrets: [SECRET] });
  return { number: made, path };
}

async function call({ number }: Hook, extra: Record<string, unknown> = {}): Promise<Json> {
  const id = await callIn(harness, number, { script: ['Hello.'], ...extra });
  return finished(harness, number.workspaceId, id);
}

const noteOf = async ({ number }: Hook, id: string): Promise<Json> =>
  (await timelineOf(harness, number.workspaceId, id)).find(({ type }) => type === 'inbound_webhook');

const chosenIn = ({ number }: Hook, config: Record<string, unknown> = {}) => {
  const agent = harness.peers.addAgent(number.workspaceId, {
    agent_name: 'Chosen',
    webhook_url: 'https://example.com/h',
  });
  agent.config = { ...agent.config, ...config };
  return agent;
};

describe('inbound call webhook [calls.15]', () => {
  it('is sent {event, call_id, agent_id, timestamp, payload}, signed, before the call connects', async () => {
    const hook = await hooked();
    const from_number = anyNumber();
    const { id, answered_at } = await call(hook, { from_number });
    const requests = client.requests(hook.path);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    if (!request) throw new Error('no request');
    expect(request.method).toBe('POST');
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': id,
      'x-webhook-attempt': '1',
      'user-agent': 'Parley-Webhooks/1',
    });
    const body = client.verify(request, SECRET) as Json;
    expect(body).toEqual({
      event: 'call_inbound',
      call_id: id,
      agent_id: hook.number.agent.agent_id,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      payload: {
        from_number,
        to_number: hook.number.phoneNumber,
        phone_number_id: hook.number.id,
      },
    });
    // The schema in the API reference.
    expect(callInboundEvent.parse(body)).toEqual(body);
    expect(body.timestamp <= answered_at).toBe(true);
  });

  it('{agent_id} chooses the answering assistant', async () => {
    const hook = await hooked();
    const chosen = chosenIn(hook);
    client.script(hook.path, { body: { agent_id: chosen.agent_id.toUpperCase() } });
    const { id, agent_id, transcript_json } = await call(hook);
    expect(agent_id).toBe(chosen.agent_id);
    expect(transcript_json.conversation.length).toBeGreaterThan(1);
    const [started] = harness.bus.received('call.started').filter(({ data }) => data.call_id === id);
    expect(started?.data.agent).toEqual({ agent_id, version: 1, webhook_url: 'https://example.com/h' });
    expect(await noteOf(hook, id)).toMatchObject({ outcome: 'used', status: 200, agent_id, error: null });
  });

  it('{dynamic_variables} fill the placeholders, and appear in the call', async () => {
    const hook = await hooked({ inbound_agent_id: null });
    const chosen = chosenIn(hook, { firstMessage: 'Welcome back {{name}}, {{unknown}}!' });
    client.script(hook.path, {
      body: { agent_id: chosen.agent_id, dynamic_variables: { name: 'Ada', tier: 2 } },
    });
    const { id, ...read } = await call(hook);
    expect(read.dynamic_variables).toEqual({ name: 'Ada', tier: 2 });
    expect(read.unresolved_placeholders).toEqual(['unknown']);
    expect(read.transcript_json.conversation[0].content).toBe('Welcome back Ada, !');
    const [ended] = harness.bus.received('call.ended').filter(({ data }) => data.call_id === id);
    expect(ended?.data.dynamic_variables).toEqual({ name: 'Ada', tier: 2 });
  });

  it('{reject: true} rejects the call: call_rejected', async () => {
    const hook = await hooked();
    client.script(hook.path, { body: { reject: true } });
    const { id, ...read } = await call(hook);
    expect(read).toMatchObject({ disconnection_reason: 'call_rejected', answered_at: null, cost: 0 });
    await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']));
    expect(await noteOf(hook, id)).toMatchObject({ outcome: 'rejected', status: 200 });
  });

  it.each([
    ['{}', { body: {} }],
    ['nothing at all', { status: 204 }],
    ['only what it does not have to say', { body: { agent_id: null, reject: false, other: 1 } }],
  ])("the number's own assistant answers after %s", async (_, answer) => {
    const hook = await hooked();
    client.script(hook.path, answer);
    const { id, agent_id } = await call(hook);
    expect(agent_id).toBe(hook.number.agent.agent_id);
    expect(await noteOf(hook, id)).toMatchObject({ outcome: 'used', agent_id: null, error: null });
  });

  it('without any assistant the call is rejected', async () => {
    const hook = await hooked({ inbound_agent_id: null });
    const { id, disconnection_reason } = await call(hook);
    expect(disconnection_reason).toBe('call_rejected');
    expect(client.verify(client.requests(hook.path)[0] as never, SECRET)).toMatchObject({ agent_id: null });
    expect(await noteOf(hook, id)).toMatchObject({ outcome: 'used', agent_id: null });
  });
});

describe('an inbound webhook without a valid response fails open [calls.15]', () => {
  const foreign = () => harness.peers.addAgent(newWorkspace()).agent_id;

  it.each([
    ['a foreign agent_id', () => ({ body: { agent_id: foreign(), dynamic_variables: { a: 1 } } })],
    ['an agent_id that is no UUID', () => ({ body: { agent_id: 'nobody' } })],
    ['dynamic_variables of the wrong type', () => ({ body: { dynamic_variables: [1] } })],
    ['reject of the wrong type', () => ({ body: { reject: 'yes' } })],
    ['an array', () => ({ body: [] })],
    ['no JSON', () => ({ body: '<html>' })],
    ['text that cannot be kept', () => ({ body: '{"dynamic_variables":{"a":"\\u0000"}}' })],
    [
      'too deep a document',
      () => ({ body: `{"dynamic_variables":{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}}` }),
    ],
    ['more than 16 KiB of variables', () => ({ body: { dynamic_variables: { a: 'x'.repeat(17_000) } } })],
    ['more than 64 KiB', () => ({ body: { dynamic_variables: { a: 'x'.repeat(70_000) } } })],
  ])("ignores %s, records it, and the number's own assistant answers", async (_, answer) => {
    const hook = await hooked();
    client.script(hook.path, answer());
    const { id, ...read } = await call(hook);
    expect(read).toMatchObject({
      agent_id: hook.number.agent.agent_id,
      disconnection_reason: 'user_hangup',
      dynamic_variables: {},
    });
    const note = await noteOf(hook, id);
    expect(note).toMatchObject({
      outcome: 'ignored',
      status: 200,
      agent_id: null,
      error: expect.any(String),
    });
    expect(note.message).toContain("the number's own assistant answers");
    // An invalid response is not a failure, so there is no second attempt.
    expect(client.requests(hook.path)).toHaveLength(1);
  });

  it('is retried once after an error, with the same webhook-id, and the second response is used', async () => {
    const hook = await hooked();
    const chosen = chosenIn(hook);
    client.script(hook.path, { status: 500 }, { body: { agent_id: chosen.agent_id } });
    const { id, agent_id } = await call(hook);
    expect(agent_id).toBe(chosen.agent_id);
    const sent = client
      .requests(hook.path)
      .map(({ headers }) => [headers['webhook-id'], headers['x-webhook-attempt']]);
    expect(sent).toEqual([
      [id, '1'],
      [id, '2'],
    ]);
  });

  it.each([
    ['errors', { status: 503 }, 503],
    ['broken connections', { fault: 'reset' as const }, null],
  ])("after two %s the number's own assistant answers", async (_, answer, status) => {
    const hook = await hooked();
    client.script(hook.path, answer);
    const { id, agent_id } = await call(hook);
    expect(agent_id).toBe(hook.number.agent.agent_id);
    expect(client.requests(hook.path)).toHaveLength(2);
    expect(await noteOf(hook, id)).toMatchObject({ outcome: 'failed', status, error: expect.any(String) });
  });

  it("eight real seconds in total, including a second attempt, then the number's own assistant answers [calls.16]", async () => {
    const [slow, dead] = [await hooked(), await hooked()];
    const chosen = chosenIn(slow);
    client.script(slow.path, { fault: 'hang' }, { body: { agent_id: chosen.agent_id } });
    client.script(dead.path, { fault: 'hang' });
    const beganMs = performance.now();
    const late = call(dead);
    expect((await call(slow)).agent_id).toBe(chosen.agent_id);
    const { id, agent_id } = await late;
    expect(performance.now() - beganMs).toBeGreaterThan(7_900);
    expect(agent_id).toBe(dead.number.agent.agent_id);
    expect(client.requests(slow.path)).toHaveLength(2);
    expect(client.requests(dead.path)).toHaveLength(2);
    expect(await noteOf(dead, id)).toMatchObject({ outcome: 'failed', status: null });
  });

  it('a disallowed address is never called [webhooks.20]', async () => {
    const hook = await hooked();
    const { id: numberId } = hook.number;
    const url = 'https://169.254.169.254/latest/meta-data';
    await harness.sql
      .$executeRaw`UPDATE phone_numbers SET inbound_webhook_url = ${url} WHERE id = ${numberId}::uuid`;
    const { id, agent_id } = await call(hook);
    expect(agent_id).toBe(hook.number.agent.agent_id);
    expect(await noteOf(hook, id)).toMatchObject({
      outcome: 'failed',
      status: null,
      error: expect.any(String),
    });
  });
});
