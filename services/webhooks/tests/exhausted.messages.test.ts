import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, type Webhooks } from './harness.ts';

describe('webhook.exhausted', () => {
  let webhooks: Webhooks;
  let server: Receiver;
  const workspace = randomUUID();

  beforeAll(async () => {
    server = await receiver();
    // The 26 hours of a series pass in five seconds.
    webhooks = await bootWebhooks({ clockRate: 20_000 });
  });
  afterAll(async () => {
    await server.close();
    await webhooks.stopAll();
  });

  const found = (callId: string) => webhooks.context.webhooks.find(workspace, callId);
  const said = (callId: string) =>
    webhooks.bus.heard('webhook.exhausted').filter(({ data }) => data.call_id === callId);

  it('is said when the twelfth attempt has failed, and tells of it (Delivery rules 2)', async () => {
    server.script('/broken', { status: 500 });
    const call = fakeCall(`${server.url}/broken`, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(() => expect(said(call.callId)).not.toHaveLength(0), { timeoutMs: 25_000 });
    const [event] = await found(call.callId);
    expect(event).toMatchObject({ status: 'failed', reason: 'http_error', nextAttemptAt: null });
    expect(event?.log).toHaveLength(12);
    expect(server.requests('/broken')).toHaveLength(12);
    for (const { workspace_id, data } of said(call.callId)) {
      expect(workspace_id).toBe(workspace);
      expect(data).toEqual({
        event_id: event?.id,
        call_id: call.callId,
        agent_id: call.agentId,
        event: 'call_started',
        series: 1,
        attempts: 12,
        url: `${server.url}/broken`,
        reason: 'http_error',
        status: 500,
        error: 'The endpoint answered 500',
      });
    }
  });

  it('what was resent is tried as often as before, and its end is said again (Delivery rules 2; D8.4)', async () => {
    const at = '/broken-again';
    server.script(at, { status: 200 }, { status: 500 });
    const call = fakeCall(server.url + at, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, call.started);
    await eventually(async () => expect((await found(call.callId))[0]?.status).toBe('delivered'));
    const answer = await webhooks
      .ask(workspace, 'post', `/v2/call/${call.callId}/webhooks/resend`)
      .send({ events: ['call_started'] });
    expect(answer.body.data.results.call_started).toMatchObject({ ok: false, status: 500 });
    await eventually(() => expect(said(call.callId)).not.toHaveLength(0), { timeoutMs: 25_000 });
    const sent = server.requests(at);
    expect(sent.map(({ headers }) => Number(headers['x-webhook-attempt']))).toEqual([
      1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
    ]);
    expect(new Set(sent.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    for (const { data } of said(call.callId)) expect(data).toMatchObject({ series: 2, attempts: 12 });
  });

  it('is not said of what was delivered, nor where there was nowhere to send to', async () => {
    const delivered = fakeCall(`${server.url}/hook`, webhooks.context.clock.now());
    const homeless = fakeCall(null, webhooks.context.clock.now());
    await webhooks.bus.publish('call.started', workspace, delivered.started);
    await webhooks.bus.publish('call.started', workspace, homeless.started);
    await eventually(async () => {
      expect((await found(delivered.callId))[0]?.status).toBe('delivered');
      expect((await found(homeless.callId))[0]?.reason).toBe('no_webhook_url');
    });
    const rows = await webhooks.context.prisma.outbox.findMany({ where: { workspaceId: workspace } });
    expect(rows).toEqual([]);
    expect([...said(delivered.callId), ...said(homeless.callId)]).toEqual([]);
  });
});
