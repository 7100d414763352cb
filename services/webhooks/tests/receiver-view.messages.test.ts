import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newWebhookSecret } from '@parley/kit/outbound';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, SECRET, type Webhooks } from './harness.ts';

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

const found = (callId: string) => readEvents(webhooks, workspace, callId);
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
  it('the bytes are fixed when the event is created: retries and resends never change them', async () => {
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

describe('deliveries as the receiver sees them', () => {
  it('7: after a recorded 2xx call_analyzed is never sent again by itself, even if its message arrives again [webhooks.14] [webhooks.6]', async () => {
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

  it('8: call_id and event distinguish repetitions from other events [webhooks.15]', async () => {
    const call = newCall();
    server.script(call.at, { status: 500 }, {});
    await publishAll(call);
    await eventually(() => expect(server.requests(call.at)).toHaveLength(4), { timeoutMs: 20_000 });
    const pairs = server.requests(call.at).map(({ body, headers }) => {
      const { call_id, event } = JSON.parse(body);
      return [`${call_id} ${event}`, headers['webhook-id']] as const;
    });
    // The first was repeated: same call and event, same webhook-id.
    expect(pairs[1]).toEqual(pairs[0]);
    expect(new Set(pairs.map(([pair]) => pair)).size).toBe(3);
    expect(new Set(pairs.map(([, id]) => id)).size).toBe(3);
  });

  it('9: each attempt can be read afterwards, with the complete request and response', async () => {
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

describe("the signature of an assistant's own secret [webhooks.7] [webhooks.23]", () => {
  const delivered = async (call: ReturnType<typeof newCall>, version = 1) => {
    const agent = { ...call.started.agent, version };
    await webhooks.bus.publish('call.started', workspace, { ...call.started, agent });
    return eventually(() => {
      const [request] = server.requests(call.at);
      if (!request) throw new Error('nothing came yet');
      return request;
    });
  };
  const signing = (secret: string, expiresInHours?: number) => ({
    secret,
    expires_at:
      expiresInHours === undefined
        ? null
        : new Date(webhooks.context.clock.now().getTime() + expiresInHours * 3_600_000).toISOString(),
  });

  it("is valid for its own receiver only, and other assistants use the workspace's", async () => {
    const own = newWebhookSecret();
    const [mine, other] = [newCall(), newCall()];
    webhooks.peers.own.set(mine.agentId, [signing(own)]);
    const [toMine, toOther] = [await delivered(mine), await delivered(other)];
    expect(() => server.verify(toMine, own)).not.toThrow();
    expect(() => server.verify(toMine, SECRET)).toThrow('No matching signature');
    expect(() => server.verify(toOther, SECRET)).not.toThrow();
    expect(() => server.verify(toOther, own)).toThrow('No matching signature');
  });

  it('is accompanied by the previous one until that expires, and by a new one from the next version of the assistant', async () => {
    const [own, previous, expired] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const first = newCall();
    webhooks.peers.version = 1;
    webhooks.peers.own.set(first.agentId, [signing(own), signing(previous, 20), signing(expired, -1)]);
    const during = await delivered(first);
    for (const secret of [own, previous]) expect(() => server.verify(during, secret)).not.toThrow();
    for (const secret of [expired, SECRET])
      expect(() => server.verify(during, secret)).toThrow('No matching signature');

    const next = newWebhookSecret();
    webhooks.peers.own.set(first.agentId, [signing(next)]);
    webhooks.peers.version = 2;
    const at = `/${randomUUID()}`;
    const second = { at, ...fakeCall(server.url + at, webhooks.context.clock.now(), first.agentId) };
    const later = await delivered(second, 2);
    expect(() => server.verify(later, next)).not.toThrow();
    expect(() => server.verify(later, own)).toThrow('No matching signature');
    webhooks.peers.version = 1_000;
  });

  it("requires assistants: nothing is sent with the workspace's secret instead, and no attempt is counted", async () => {
    const own = newWebhookSecret();
    const call = newCall();
    webhooks.peers.own.set(call.agentId, [signing(own)]);
    webhooks.peers.down = true;
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect(await found(call.callId)).toHaveLength(1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.requests(call.at)).toEqual([]);
    webhooks.peers.down = false;
    const request = await delivered(call);
    expect(request.headers['x-webhook-attempt']).toBe('1');
    expect(() => server.verify(request, own)).not.toThrow();
  });
});

describe('the signature during a rotation [webhooks.7]', () => {
  it('uses both secrets: a receiver with either verifies; afterwards only the new one', async () => {
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
