import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newWebhookSecret } from '@parley/kit/outbound';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, SECRET, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await receiver();
  webhooks = await bootWebhooks({ clockRate: 60 });
});
afterAll(async () => {
  await server.close();
  await webhooks.stopAll();
});

const found = (callId: string) => webhooks.context.webhooks.find(workspace, callId);
const newCall = () => {
  const at = `/${randomUUID()}`;
  return { at, ...fakeCall(server.url + at, webhooks.context.clock.now()) };
};

async function publishAll({ started, ended, analyzed }: ReturnType<typeof fakeCall>) {
  await webhooks.bus.publish('call.started', workspace, started);
  await webhooks.bus.publish('call.ended', workspace, ended);
  await webhooks.bus.publish('call.analyzed', workspace, analyzed);
}

describe('Events', () => {
  it('the bytes are fixed when the event is made: what is told later changes none of them, on retries and resends', async () => {
    const call = newCall();
    server.script(call.at, { status: 500 }, {});
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(() => expect(server.requests(call.at)).toHaveLength(1));
    const other = { ...call.started, dynamic_variables: { first_name: 'Grace' } };
    await webhooks.bus.publish('call.started', workspace, other);
    await eventually(async () => expect((await found(call.callId))[0]?.status).toBe('delivered'), {
      timeoutMs: 20_000,
    });
    await webhooks
      .ask(workspace, 'post', `/v2/call/${call.callId}/webhooks/resend`)
      .send({ events: ['call_started'] });
    const bodies = server.requests(call.at).map(({ body }) => body);
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies).size).toBe(1);
    const [event] = (await webhooks.ask(workspace, 'get', `/v2/call/${call.callId}/webhooks`).send()).body
      .data;
    for (const { request } of event.attempts) expect(request.body).toBe(bodies[0]);
  });
});

describe('Delivery rules', () => {
  it('7: after a 2xx is recorded for call_analyzed it is never sent again by itself, also when it is told again', async () => {
    const call = newCall();
    server.script(call.at, {}, {}, { status: 299 }, { status: 500 });
    await publishAll(call);
    await eventually(async () => expect((await found(call.callId))[2]?.status).toBe('delivered'));
    await publishAll(call);
    const after = newCall();
    await publishAll(after);
    await eventually(async () => expect((await found(after.callId))[2]?.status).toBe('delivered'));
    expect(server.requests(call.at)).toHaveLength(3);
    expect((await found(call.callId))[2]).toMatchObject({ status: 'delivered', nextAttemptAt: null });
  });

  it('8: call_id and event tell repetitions from other events', async () => {
    const call = newCall();
    server.script(call.at, { status: 500 }, {});
    await publishAll(call);
    await eventually(() => expect(server.requests(call.at)).toHaveLength(4), { timeoutMs: 20_000 });
    const pairs = server.requests(call.at).map(({ body, headers }) => {
      const { call_id, event } = JSON.parse(body);
      return [`${call_id} ${event}`, headers['webhook-id']] as const;
    });
    // The first was repeated: the same pair, the same webhook-id.
    expect(pairs[1]).toEqual(pairs[0]);
    expect(new Set(pairs.map(([pair]) => pair)).size).toBe(3);
    expect(new Set(pairs.map(([, id]) => id)).size).toBe(3);
  });

  it('9: each attempt can be read afterwards, all that went out and all that came back', async () => {
    const call = newCall();
    server.script(call.at, { status: 500, body: 'one' }, { status: 200, body: 'two' });
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await found(call.callId))[0]?.log).toHaveLength(2), {
      timeoutMs: 20_000,
    });
    const { body } = await webhooks.ask(workspace, 'get', `/v2/call/${call.callId}/webhooks`).send();
    const [event] = body.data;
    expect(event).toMatchObject({ status: 'delivered', reason: 'delivered', next_attempt_at: null });
    for (const [i, sent] of server.requests(call.at).entries()) {
      const attempt = event.attempts[i];
      const names = [
        'content-type',
        'user-agent',
        'webhook-id',
        'webhook-timestamp',
        'webhook-signature',
        'x-webhook-attempt',
      ];
      for (const name of names)
        expect([name, attempt.request.headers[name]]).toEqual([name, sent.headers[name]]);
      expect(attempt.request.body).toBe(sent.body);
      expect(attempt).toMatchObject({
        series: 1,
        attempt: i + 1,
        url: server.url + call.at,
        status: [500, 200][i],
        reason: ['http_error', 'delivered'][i],
        response: { body: ['one', 'two'][i], headers: { connection: expect.any(String) } },
      });
    }
  });
});

describe('the signature during a rotation (D8.1)', () => {
  it('is by both secrets: a receiver with either verifies; afterwards by the new one alone', async () => {
    const newer = newWebhookSecret();
    const deliver = async (signatures: number) =>
      eventually(async () => {
        const call = newCall();
        await webhooks.bus.publish('call.started', workspace, call.started);
        const request = await eventually(() => {
          const [first] = server.requests(call.at);
          if (!first) throw new Error('nothing came yet');
          return first;
        });
        expect(String(request.headers['webhook-signature']).split(' ')).toHaveLength(signatures);
        return request;
      });
    webhooks.peers.secrets = [newer, SECRET];
    const during = await deliver(2);
    for (const secret of [newer, SECRET]) expect(() => server.verify(during, secret)).not.toThrow();
    expect(() => server.verify(during, newWebhookSecret())).toThrow('No matching signature');
    webhooks.peers.secrets = [newer];
    const after = await deliver(1);
    expect(() => server.verify(after, newer)).not.toThrow();
    expect(() => server.verify(after, SECRET)).toThrow('No matching signature');
  });
});
