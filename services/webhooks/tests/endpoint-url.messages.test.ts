import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

beforeAll(async () => {
  server = await receiver();
  // The two minutes before the second attempt take two seconds.
  webhooks = await bootWebhooks({ clockRate: 60 });
});
afterAll(async () => {
  await server.close();
  await webhooks.stopAll();
});

const found = (callId: string) => readEvents(webhooks, workspace, callId);
const events = (at: string) => server.requests(at).map(({ body }) => JSON.parse(body).event);

async function callWithRetry() {
  const at = `/${randomUUID()}`;
  server.script(at, { status: 500 }, {});
  const call = fakeCall(server.url + at, webhooks.context.clock.now());
  for (const type of ['started', 'ended', 'analyzed'] as const)
    await webhooks.bus.publish(`call.${type}`, workspace, call[type]);
  await eventually(async () => expect((await found(call.callId))[0]?.log).toHaveLength(1));
  return { ...call, at };
}

const setUrl = (agent_id: string, version: number, webhook_url: string | null) =>
  webhooks.bus.publish('assistant.updated', workspace, { agent_id, agent_name: 'Ada', version, webhook_url });

const ended = (callId: string) =>
  eventually(
    async () => {
      const all = await found(callId);
      expect(all.map(({ status, reason }) => `${status} ${reason}`)).toEqual(
        Array(3).fill('failed no_webhook_url'),
      );
      return all;
    },
    { timeoutMs: 20_000 },
  );

describe('settings.webhookUrl', () => {
  it('removing it stops delivery: queued events end as no_webhook_url, and can be resent later', async () => {
    const { callId, agentId, at } = await callWithRetry();
    await setUrl(agentId, 2, null);
    const all = await ended(callId);
    expect(all.map(({ log }) => log.length)).toEqual([1, 0, 0]);
    expect(events(at)).toEqual(['call_started']);
    const elsewhere = `/${randomUUID()}`;
    await setUrl(agentId, 3, server.url + elsewhere);
    await eventually(async () => {
      const row = await webhooks.context.prisma.endpoint.findUnique({ where: { agentId } });
      expect(row?.url).toBe(server.url + elsewhere);
    });
    const { body } = await webhooks
      .ask(workspace, 'post', `/v2/call/${callId}/webhooks/resend`)
      .send({ events: ['call_started', 'call_ended', 'call_analyzed'] });
    const delivered = { ok: true, status: 200, reason: 'delivered' };
    expect(body.data.results).toEqual({
      call_started: delivered,
      call_ended: delivered,
      call_analyzed: delivered,
    });
    expect(events(elsewhere)).toEqual(['call_started', 'call_ended', 'call_analyzed']);
  });

  it('disappears with its assistant: queued events end as no_webhook_url', async () => {
    const { callId, agentId, at } = await callWithRetry();
    await webhooks.bus.publish('assistant.deleted', workspace, { agent_id: agentId, version: 2 });
    await ended(callId);
    expect(events(at)).toEqual(['call_started']);
  });

  it('changed during retries: the next attempt goes to the new one, and so do later events', async () => {
    const { agentId, at } = await callWithRetry();
    const elsewhere = `/${randomUUID()}`;
    await setUrl(agentId, 2, server.url + elsewhere);
    await eventually(
      () => expect(events(elsewhere)).toEqual(['call_started', 'call_ended', 'call_analyzed']),
      { timeoutMs: 20_000 },
    );
    expect(events(at)).toEqual(['call_started']);
    expect(server.requests(elsewhere)[0]?.headers['x-webhook-attempt']).toBe('2');
  });
});
