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

const received = () => server.requests('/hook').map(({ body }) => JSON.parse(body));
const newCall = () => fakeCall(`${server.url}/hook`, webhooks.context.clock.now());

describe('the events of a call [webhooks.13]', () => {
  it('are delivered in order, each once, across replicas', async () => {
    await boot(1);
    await webhooks.replica();
    const calls = Array.from({ length: 30 }, newCall);
    await Promise.all(
      calls.map(async ({ started, ended, analyzed }) => {
        await webhooks.bus.publish('call.analyzed', workspace, analyzed);
        await webhooks.bus.publish('call.ended', workspace, ended);
        await webhooks.bus.publish('call.started', workspace, started);
      }),
    );
    await eventually(() => expect(received()).toHaveLength(90), { timeoutMs: 20_000 });
    for (const { callId } of calls) {
      const own = received().filter(({ call_id }) => call_id === callId);
      expect(own.map(({ event }) => event)).toEqual(['call_started', 'call_ended', 'call_analyzed']);
    }
  });

  it('never overtake an earlier one until 30 minutes after the call ended', async () => {
    await boot(600);
    server.script('/hook', { status: 500 });
    const { started, ended, callId } = newCall();
    await webhooks.bus.publish('call.started', workspace, started);
    await webhooks.bus.publish('call.ended', workspace, ended);
    const first = await eventually(
      async () => {
        const [, found] = await readEvents(webhooks, workspace, callId);
        expect(found?.log).not.toHaveLength(0);
        return found?.log[0];
      },
      { timeoutMs: 15_000 },
    );
    const waitedMs = (first?.startedAt.getTime() ?? 0) - Date.parse(ended.ended_at);
    expect(waitedMs).toBeGreaterThanOrEqual(30 * 60_000);
  });
});
