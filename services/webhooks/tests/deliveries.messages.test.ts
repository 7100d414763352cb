import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAssistantWebhookSecrets } from '@parley/contracts';
import { newWebhookSecret } from '@parley/kit/outbound';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, SECRET, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await receiver();
  webhooks = await bootWebhooks({ clockRate: 100 });
});

afterAll(async () => {
  // Closes the receiver first, which ends hanging attempts.
  await server.close();
  await webhooks.stopAll();
});

/** A call that has just ended in stack time. */
const callTo = (url: string | null, agentId?: string) => fakeCall(url, webhooks.context.clock.now(), agentId);
const path = () => `/${randomUUID()}`;
const bodies = (at: string) => server.requests(at).map(({ body }) => JSON.parse(body));
const events = (at: string) => bodies(at).map(({ event }) => event);

async function publish(call: ReturnType<typeof fakeCall>, ...types: ('started' | 'ended' | 'analyzed')[]) {
  for (const type of types) await webhooks.bus.publish(`call.${type}`, workspace, call[type]);
}

describe('Events: what is sent', () => {
  it('call_started, call_ended and call_analyzed are sent to webhookUrl, signed, with the specified envelope and payloads [webhooks.1] [webhooks.2] [webhooks.3] [webhooks.4] [webhooks.5]', async () => {
    const at = path();
    const call = callTo(server.url + at);
    await publish(call, 'started', 'ended', 'analyzed');
    await eventually(() => expect(events(at)).toEqual(['call_started', 'call_ended', 'call_analyzed']));
    for (const request of server.requests(at)) {
      expect(request.method).toBe('POST');
      expect(request.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': 'Parley-Webhooks/1',
        'x-webhook-attempt': '1',
      });
      expect(server.verify(request, SECRET)).toMatchObject({ call_id: call.callId, agent_id: call.agentId });
    }
    const [started, ended, analyzed] = bodies(at);
    expect(Object.keys(started)).toEqual(['event', 'call_id', 'agent_id', 'timestamp', 'payload']);
    expect(started.payload).toEqual({
      status: 'started',
      start_time: call.started.started_at,
      call_type: 'outbound',
      from_number: '+14155550100',
      to_number: '+14155550199',
      dynamic_variables: { first_name: 'Ada' },
    });
    expect(ended.payload).toEqual({
      status: 'completed',
      call_type: 'outbound',
      from_number: '+14155550100',
      to_number: '+14155550199',
      start_time: call.ended.started_at,
      end_time: call.ended.ended_at,
      duration: 15,
      cost: 3,
      disconnection_reason: 'user_hangup',
      dynamic_variables: { first_name: 'Ada' },
    });
    expect(analyzed.payload.status).toBe('analyzed');
    expect(Object.keys(analyzed.payload.data)).toEqual([
      'id',
      'workspace_id',
      'agent_id',
      'call_type',
      'from_number',
      'to_number',
      'status',
      'duration',
      'started_at',
      'ended_at',
      'disconnection_reason',
      'recording_url',
      'recording_sid',
      'call_sid',
      'cost',
      'created_at',
      'updated_at',
      'transcript',
      'transcript_clean',
      'summary',
      'analysis_data',
      'dynamic_variables',
      'tools',
    ]);
    expect(analyzed.payload.data.transcript).toHaveLength(2);
    expect(analyzed.payload.data.transcript_clean).toEqual([call.analyzed.transcript[0]]);
  });

  it('in webhook payloads dial_no_answer reads no_answer; a call that was not answered has no call_started', async () => {
    const at = path();
    const call = callTo(server.url + at);
    call.ended = {
      ...call.ended,
      answered_at: null,
      duration: 0,
      cost: 0,
      disconnection_reason: 'dial_no_answer',
    };
    call.analyzed = {
      ...call.analyzed,
      ...call.ended,
      transcript: [],
      summary: null,
      analysis_data: null,
      tools: [],
    };
    await publish(call, 'ended', 'analyzed');
    await eventually(() => expect(events(at)).toEqual(['call_ended', 'call_analyzed']));
    expect(bodies(at)[0].payload).toMatchObject({ disconnection_reason: 'no_answer', duration: 0, cost: 0 });
    expect(bodies(at)[1].payload.data).toMatchObject({ disconnection_reason: 'no_answer', summary: null });
  });

  it('a repeated message creates one event', async () => {
    const at = path();
    const call = callTo(server.url + at);
    const id = randomUUID();
    for (let i = 0; i < 3; i++) await webhooks.bus.publish('call.started', workspace, call.started, { id });
    await webhooks.bus.publish('call.started', workspace, call.started);
    await publish(call, 'ended');
    await eventually(() => expect(events(at)).toContain('call_ended'));
    expect(events(at)).toEqual(['call_started', 'call_ended']);
  });
});

describe('deliveries', () => {
  it('are retried without a 2xx, with the same webhook-id and bytes, counting attempts [webhooks.8]', async () => {
    const at = path();
    server.script(at, { status: 500 }, { status: 404 }, { status: 204 });
    const call = callTo(server.url + at);
    await publish(call, 'started');
    await eventually(() => expect(server.requests(at)).toHaveLength(3), { timeoutMs: 10_000 });
    const sent = server.requests(at);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(sent.map(({ headers }) => headers['x-webhook-attempt'])).toEqual(['1', '2', '3']);
    const [event] = await eventually(async () => {
      const found = await readEvents(webhooks, workspace, call.callId);
      expect(found[0]?.status).toBe('delivered');
      return found;
    });
    const starts =
      event?.log.map(({ startedAt, durationMs }) => [startedAt.getTime(), durationMs] as const) ?? [];
    const gaps = starts.slice(1).map(([ms], i) => (ms - (starts[i]?.[0] ?? 0)) / 60_000);
    // Never early; the clock runs 100 times as fast, so "late by at most 5 s" is a few real milliseconds here.
    expect(gaps[0]).toBeGreaterThanOrEqual(2);
    expect(gaps[1]).toBeGreaterThanOrEqual(4);
  });

  it('wait as long as the Retry-After of a 503 says [webhooks.11]', async () => {
    const at = path();
    server.script(at, { status: 503, headers: { 'retry-after': '180' } }, { status: 200 });
    const call = callTo(server.url + at);
    await publish(call, 'started');
    const [first, second] = await eventually(
      async () => {
        const [event] = await readEvents(webhooks, workspace, call.callId);
        expect(event?.log).toHaveLength(2);
        return event?.log ?? [];
      },
      { timeoutMs: 10_000 },
    );
    expect((second?.startedAt.getTime() ?? 0) - (first?.startedAt.getTime() ?? 0)).toBeGreaterThanOrEqual(
      3 * 60_000,
    );
  });

  it('follow a 307 once with the same request; any other redirect is a failed attempt [webhooks.12]', async () => {
    const [at, target, refused] = [path(), path(), path()];
    server.script(at, { status: 307, redirect: server.url + target });
    server.script(refused, { status: 302, redirect: server.url + target });
    const followed = callTo(server.url + at);
    await publish(followed, 'started');
    await eventually(() => expect(server.requests(target)).toHaveLength(1));
    expect(server.verify(server.requests(target)[0] as never, SECRET)).toMatchObject({
      event: 'call_started',
    });
    const other = callTo(server.url + refused);
    await publish(other, 'started');
    const [event] = await eventually(async () => {
      const found = await readEvents(webhooks, workspace, other.callId);
      expect(found[0]?.log).toHaveLength(1);
      return found;
    });
    expect(event?.log[0]).toMatchObject({ reason: 'redirect_refused', status: 302 });
    expect(server.requests(target)).toHaveLength(1);
  });

  it('never overtake an event that is being retried [webhooks.13]', async () => {
    const at = path();
    server.script(at, { status: 500 }, { status: 500 }, {});
    const call = callTo(server.url + at, randomUUID());
    await publish(call, 'analyzed', 'ended', 'started');
    await eventually(() => expect(events(at)).toHaveLength(5), { timeoutMs: 10_000 });
    expect(events(at)).toEqual([
      'call_started',
      'call_started',
      'call_started',
      'call_ended',
      'call_analyzed',
    ]);
  });

  it('are not delayed by another endpoint that hangs [webhooks.16]', async () => {
    const [hanging, healthy] = [path(), path()];
    server.script(hanging, { fault: 'hang' });
    const agent = randomUUID();
    for (let i = 0; i < 10; i++) await publish(callTo(server.url + hanging, agent), 'started');
    await eventually(() => expect(server.requests(hanging)).toHaveLength(4));
    const startedAt = performance.now();
    await publish(callTo(server.url + healthy), 'started', 'ended', 'analyzed');
    await eventually(() => expect(events(healthy)).toHaveLength(3));
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(server.requests(hanging)).toHaveLength(4);
  });
});

describe('the URL', () => {
  it("is the assistant's current one at each attempt; a stale message changes nothing", async () => {
    const [old, current] = [path(), path()];
    server.script(old, { status: 500 });
    const call = callTo(server.url + old);
    await publish(call, 'started');
    await eventually(() => expect(server.requests(old).length).toBeGreaterThanOrEqual(1));
    const agent = { agent_id: call.agentId, agent_name: 'A' };
    await webhooks.bus.publish('assistant.updated', workspace, {
      ...agent,
      version: 3,
      webhook_url: server.url + current,
    });
    await webhooks.bus.publish('assistant.updated', workspace, {
      ...agent,
      version: 2,
      webhook_url: server.url + old,
    });
    await eventually(() => expect(server.requests(current)).toHaveLength(1), { timeoutMs: 10_000 });
  });

  it('no URL: the event ends as no_webhook_url and its call goes on', async () => {
    const call = callTo(null);
    await publish(call, 'started', 'ended');
    await eventually(async () => {
      const found = await readEvents(webhooks, workspace, call.callId);
      expect(found.map(({ status, reason }) => [status, reason])).toEqual([
        ['failed', 'no_webhook_url'],
        ['failed', 'no_webhook_url'],
      ]);
    });
  });

  it('a private address is refused and receives nothing', async () => {
    const call = callTo('https://10.0.0.1/hook');
    await publish(call, 'started');
    await eventually(async () => {
      const [event] = await readEvents(webhooks, workspace, call.callId);
      expect(event?.log[0]).toMatchObject({ reason: 'address_refused', status: 0 });
    });
  });
});

describe('when other services are unavailable', () => {
  it('without signing secrets nothing is sent, and nothing is lost', async () => {
    const at = path();
    const other = randomUUID();
    webhooks.peers.down = true;
    const call = callTo(server.url + at);
    await webhooks.bus.publish('call.started', other, call.started);
    await eventually(async () => expect(await readEvents(webhooks, other, call.callId)).toHaveLength(1));
    webhooks.peers.down = false;
    await eventually(() => expect(events(at)).toEqual(['call_started']), { timeoutMs: 10_000 });
    expect(server.requests(at)[0]?.headers['x-webhook-attempt']).toBe('1');
  });

  it('after a restart without assistants only deliveries with an unknown secret wait [webhooks.7]', async () => {
    const booted = await bootWebhooks();
    const [known, unknown] = [path(), path()];
    const [agent, ownSecret] = [randomUUID(), newWebhookSecret()];
    const send = async (at: string, agentId: string) => {
      const call = fakeCall(server.url + at, booted.context.clock.now(), agentId);
      await booted.bus.publish('call.started', workspace, call.started);
    };
    try {
      await send(known, agent);
      await eventually(() => expect(events(known)).toHaveLength(1));
      await booted.stop();
      booted.peers.downPaths = [getAssistantWebhookSecrets.path];
      const other = randomUUID();
      booted.peers.own.set(other, [{ secret: ownSecret, expires_at: null }]);
      await booted.replica();
      await send(unknown, other);
      await send(known, agent);
      await eventually(() => expect(events(known)).toHaveLength(2));
      expect(events(unknown)).toEqual([]);
      booted.peers.downPaths = [];
      await eventually(() => expect(events(unknown)).toHaveLength(1), { timeoutMs: 10_000 });
      server.verify(server.requests(unknown)[0] as never, ownSecret);
    } finally {
      await booted.stopAll();
    }
  });
});
