import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

let webhooks: Webhooks;
let server: Receiver;
const workspace = randomUUID();

async function boot(clockRate: number): Promise<void> {
  server = await receiver();
  webhooks = await bootWebhooks({ clockRate });
}

afterEach(async () => {
  await server.close();
  await webhooks.stopAll();
});

const newCall = () => fakeCall(`${server.url}/hook`, webhooks.context.clock.now());
const summaries = () =>
  server.requests('/hook').map(({ body }) => {
    const { event, payload } = JSON.parse(body);
    return event === 'call_analyzed' ? payload.data.summary : event;
  });
const editionsOf = async (callId: string) =>
  (await readEvents(webhooks, workspace, callId)).filter(({ event }) => event === 'call_analyzed');

async function publishEdition({ analyzed }: ReturnType<typeof fakeCall>, edition: number): Promise<void> {
  await webhooks.bus.publish('call.analyzed', workspace, {
    ...analyzed,
    edition,
    summary: `edition ${edition}`,
  });
}

async function startAndEnd({ started, ended }: ReturnType<typeof fakeCall>): Promise<void> {
  await webhooks.bus.publish('call.started', workspace, started);
  await webhooks.bus.publish('call.ended', workspace, ended);
}

describe('call_analyzed of a fixed transcript, while earlier events are unfinished [webhooks.13]', () => {
  it('waits for call_started like the first edition, until 30 minutes after the call ended', async () => {
    await boot(600);
    server.script('/hook', { status: 500 });
    const call = newCall();
    await startAndEnd(call);
    await publishEdition(call, 1);
    await publishEdition(call, 2);
    const [first, second] = await eventually(
      async () => {
        const found = await editionsOf(call.callId);
        expect(found[1]?.log).not.toHaveLength(0);
        return found;
      },
      { timeoutMs: 15_000 },
    );
    const waitedMs = (second?.log[0]?.startedAt.getTime() ?? 0) - Date.parse(call.ended.ended_at);
    expect(waitedMs).toBeGreaterThanOrEqual(30 * 60_000);
    expect(first).toMatchObject({ status: 'failed', reason: 'superseded', nextAttemptAt: null, log: [] });
  });

  it('replaces an older edition that is waiting for a retry', async () => {
    await boot(1);
    server.script('/hook', {}, {}, { status: 500 }, {});
    const call = newCall();
    await startAndEnd(call);
    await publishEdition(call, 1);
    await eventually(async () => expect((await editionsOf(call.callId))[0]?.log).toHaveLength(1));
    await publishEdition(call, 2);
    await eventually(async () => {
      const [first, second] = await editionsOf(call.callId);
      expect(first).toMatchObject({ status: 'failed', reason: 'superseded', nextAttemptAt: null });
      expect(first?.log.map(({ reason }) => reason)).toEqual(['http_error']);
      expect(second).toMatchObject({ status: 'delivered', reason: 'delivered' });
    });
    expect(summaries()).toEqual(['call_started', 'call_ended', 'edition 1', 'edition 2']);
  });

  it.each([
    [500, { status: 'failed', reason: 'superseded' }],
    [200, { status: 'delivered', reason: 'delivered' }],
  ])('waits for the attempt in progress, which ends with %d and is the last', async (status, ends) => {
    await boot(1);
    server.script('/hook', {}, {}, { status, delayMs: 1_500 }, {});
    const call = newCall();
    await startAndEnd(call);
    await publishEdition(call, 1);
    await eventually(() => expect(summaries()).toContain('edition 1'));
    await publishEdition(call, 2);
    await publishEdition(call, 3);
    await eventually(async () => {
      const [first, second, third] = await editionsOf(call.callId);
      expect(first).toMatchObject({ ...ends, nextAttemptAt: null });
      expect(second).toMatchObject({ status: 'failed', reason: 'superseded', log: [] });
      expect(third?.status).toBe('delivered');
      const [before, after] = [first?.log[0], third?.log[0]];
      expect(after?.startedAt.getTime()).toBeGreaterThanOrEqual(
        (before?.startedAt.getTime() ?? Number.POSITIVE_INFINITY) + 1_400,
      );
    });
    expect(summaries().slice(2)).toEqual(['edition 1', 'edition 3']);
  });

  it('is not followed by an older edition that arrives later', async () => {
    await boot(1);
    const call = newCall();
    await startAndEnd(call);
    await publishEdition(call, 2);
    await eventually(() => expect(summaries()).toContain('edition 2'));
    await publishEdition(call, 1);
    await eventually(async () => {
      const [first] = await editionsOf(call.callId);
      expect(first).toMatchObject({ status: 'failed', reason: 'superseded', nextAttemptAt: null, log: [] });
    });
    expect(summaries()).toEqual(['call_started', 'call_ended', 'edition 2']);
  });

  it('is sent when the attempt of the older edition is released, which then is not repeated', async () => {
    await boot(1);
    server.script('/hook', {}, {}, { fault: 'hang' }, {});
    const call = newCall();
    await startAndEnd(call);
    await publishEdition(call, 1);
    await eventually(() => expect(summaries()).toContain('edition 1'));
    await publishEdition(call, 2);
    await eventually(async () => expect(await editionsOf(call.callId)).toHaveLength(2));
    const { prisma, deliveries, clock } = webhooks.context;
    const row = await prisma.event.findFirstOrThrow({
      where: { callId: call.callId, event: 'call_analyzed', edition: 1 },
    });
    await deliveries.giveBack(
      { ...row, dueAt: clock.now(), url: null, version: 0, usesWorkspaceSecret: false, unresponsive: false },
      clock.now(),
    );
    await eventually(async () => {
      const [first, second] = await editionsOf(call.callId);
      expect(first).toMatchObject({ status: 'failed', reason: 'superseded', nextAttemptAt: null, log: [] });
      expect(second?.status).toBe('delivered');
    });
    expect(summaries().slice(2)).toEqual(['edition 1', 'edition 2']);
  });
});
