import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, type Webhooks } from './harness.ts';

const CONCURRENCY = 6;

describe('an endpoint that hangs delays its own deliveries only [webhooks.16]', () => {
  let webhooks: Webhooks;
  let server: Receiver;

  beforeAll(async () => {
    server = await receiver();
    webhooks = await bootWebhooks({ env: { DELIVERY_CONCURRENCY: String(CONCURRENCY) } });
  });
  afterAll(async () => {
    // Closes the receiver first, which ends hanging attempts.
    await server.close();
    await webhooks.stopAll();
  });

  it('also if more of them hang than a process has attempts', async () => {
    server.script('/hanging', { fault: 'hang' });
    const { prisma, clock } = webhooks.context;
    for (let i = 0; i < 2 * CONCURRENCY; i += 1) {
      const [workspaceId, agentId] = [randomUUID(), randomUUID()];
      const url = `${server.url}/hanging`;
      await prisma.endpoint.create({ data: { agentId, workspaceId, version: 1, url, unresponsive: true } });
      await webhooks.bus.publish('call.started', workspaceId, fakeCall(url, clock.now(), agentId).started);
    }
    const half = CONCURRENCY / 2;
    const hanging = () => server.requests('/hanging').map(({ receivedAt }) => receivedAt.getTime());
    await eventually(() => expect(hanging().length).toBeGreaterThanOrEqual(half));
    for (let i = 0; i < 2 * CONCURRENCY; i += 1) {
      const call = fakeCall(`${server.url}/answering`, clock.now());
      await webhooks.bus.publish('call.started', randomUUID(), call.started);
    }
    await eventually(() => expect(server.requests('/answering')).toHaveLength(2 * CONCURRENCY));
    // A hanging attempt takes 12 s: at most half of the concurrent attempts may be of this kind.
    for (const [index, at] of hanging().slice(half).entries())
      expect(at - (hanging()[index] ?? 0)).toBeGreaterThan(6_000);
  });
});
