import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

describe('a series of attempts [webhooks.10]', () => {
  let webhooks: Webhooks;
  let server: Receiver;
  const workspace = randomUUID();

  beforeAll(async () => {
    server = await receiver();
    // The 26 hours of a series take five seconds.
    webhooks = await bootWebhooks({ clockRate: 20_000 });
  });
  afterAll(async () => {
    await server.close();
    await webhooks.stopAll();
  });

  const found = (callId: string) => readEvents(webhooks, workspace, callId);
  const PATIENCE = { timeoutMs: 120_000 };

  it('ends when the twelfth attempt has failed', async () => {
    server.script('/broken', { status: 500 });
    const call = fakeCall(`${server.url}/broken`, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    const event = await eventually(async () => {
      const [last] = await found(call.callId);
      expect(last?.status).toBe('failed');
      return last;
    }, PATIENCE);
    expect(event).toMatchObject({ reason: 'http_error', nextAttemptAt: null });
    expect(event?.log).toHaveLength(12);
    expect(server.requests('/broken')).toHaveLength(12);
  });

  it('starts again with a resend, with as many attempts [webhooks.17]', async () => {
    const at = '/broken-again';
    server.script(at, { status: 200 }, { status: 500 });
    const call = fakeCall(server.url + at, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await found(call.callId))[0]?.status).toBe('delivered'));
    const answer = await webhooks
      .ask(workspace, 'post', `/v2/call/${call.callId}/webhooks/resend`)
      .send({ events: ['call_started'] });
    expect(answer.body.data.results.call_started).toMatchObject({ ok: false, status: 500 });
    await eventually(async () => expect((await found(call.callId))[0]?.status).toBe('failed'), PATIENCE);
    const sent = server.requests(at);
    expect(sent.map(({ headers }) => Number(headers['x-webhook-attempt']))).toEqual([
      1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ]);
    expect(new Set(sent.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    const [event] = await found(call.callId);
    expect(event?.log.map(({ series, attempt }) => `${series}.${attempt}`)).toEqual([
      '1.1',
      ...Array.from({ length: 12 }, (_, i) => `2.${i + 1}`),
    ]);
  });
});
