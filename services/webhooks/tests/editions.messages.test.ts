import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type Receiver, receiver } from '@parley/testkit';
import { bootWebhooks, fakeCall, readEvents, type Webhooks } from './harness.ts';

describe('call_analyzed of a fixed transcript [calls.14]', () => {
  let webhooks: Webhooks;
  let server: Receiver;
  const workspace = randomUUID();

  beforeAll(async () => {
    server = await receiver();
    webhooks = await bootWebhooks();
  });
  afterAll(async () => {
    await webhooks.stopAll();
    await server.close();
  });

  const eventsOf = (callId: string) => readEvents(webhooks, workspace, callId);

  it('is a new edition of the event, with a new webhook-id and the better transcript', async () => {
    const { started, ended, analyzed, callId } = fakeCall(`${server.url}/hook`, webhooks.context.clock.now());
    const better = { role: 'user' as const, content: 'Hello, who is it?', timestamp: ended.ended_at };
    await webhooks.bus.publish('call.started', workspace, started);
    await webhooks.bus.publish('call.ended', workspace, ended);
    await webhooks.bus.publish('call.analyzed', workspace, analyzed);
    await eventually(() => expect(server.requests('/hook')).toHaveLength(3));
    await webhooks.bus.publish('call.analyzed', workspace, { ...analyzed, edition: 2, transcript: [better] });
    await eventually(() => expect(server.requests('/hook')).toHaveLength(4));

    const [first, second] = server.requests('/hook').slice(2);
    expect(JSON.parse(second?.body ?? '')).toMatchObject({
      event: 'call_analyzed',
      call_id: callId,
      payload: { data: { transcript: [better], transcript_clean: [better] } },
    });
    expect(second?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
    const ids = (await eventsOf(callId)).map(({ id }) => id);
    expect(ids.slice(2)).toEqual([first?.headers['webhook-id'], second?.headers['webhook-id']]);
  });

  it('is recorded once, however often its message arrives', async () => {
    const { ended, analyzed, callId } = fakeCall(`${server.url}/again`, webhooks.context.clock.now());
    const unanswered = { ...ended, answered_at: null };
    await webhooks.bus.publish('call.ended', workspace, unanswered);
    const second = { ...analyzed, answered_at: null, edition: 2 };
    await webhooks.bus.publish('call.analyzed', workspace, second);
    await webhooks.bus.publish('call.analyzed', workspace, second);
    await webhooks.bus.publish('call.analyzed', workspace, { ...second, edition: 3 });
    await eventually(async () => expect(await eventsOf(callId)).toHaveLength(3));
    expect((await eventsOf(callId)).map(({ event }) => event)).toEqual([
      'call_ended',
      'call_analyzed',
      'call_analyzed',
    ]);
  });
});
