import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MessageData, parseMessage } from '@parley/contracts';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { fakeCall } from '@parley/testkit/fakes';
import type { Random } from '@parley/testkit/load';
import type { Stage } from './stage.ts';

export type PublishedCall = { callId: string; endedAtMs: number; events: string[] };
type Type = 'call.started' | 'call.ended' | 'call.analyzed';

export type Traffic = {
  calls: PublishedCall[];
  /** Stops creating calls; resolves when all messages of started calls are published. */
  stop(): Promise<void>;
};

const AGENTS = 40;
const WORKSPACES = 6;
const EVENT_OF = {
  'call.started': 'call_started',
  'call.ended': 'call_ended',
  'call.analyzed': 'call_analyzed',
};

/** Calls of all kinds at a steady rate; their messages may be late, out of order and duplicated, but none is missing. */
export function startTraffic(stage: Stage, random: Random, perSecond: number, lifecycle: Lifecycle): Traffic {
  const { bus, clock, receiver } = stage;
  const agents = Array.from({ length: AGENTS }, (_, index) => ({
    id: randomUUID(),
    url: `${receiver.url}/agents/${index}`,
  }));
  const workspaces = Array.from({ length: WORKSPACES }, () => randomUUID());
  const calls: PublishedCall[] = [];
  const underWay = new Set<Promise<void>>();
  let isRunning = true;

  /** Retries under the same id until the broker confirms, as an outbox does. */
  const publish = async <T extends Type>(type: T, workspaceId: string, data: MessageData<T>, id: string) => {
    const message = { id, type, workspace_id: workspaceId, occurred_at: clock.now().toISOString(), data };
    parseMessage(message);
    const payload = JSON.stringify(message);
    for (;;) {
      try {
        await bus.publish({ id, type, payload });
        return;
      } catch {
        await sleep(100);
      }
    }
  };

  const publishCall = async (): Promise<void> => {
    const agent = agents[Math.floor(random.upTo(AGENTS))] ?? agents[0];
    const workspaceId = workspaces[Math.floor(random.upTo(WORKSPACES))] ?? '';
    if (!agent) return;
    const call = fakeCall(agent.url, clock.now(), agent.id);
    const isAnswered = random.chance(0.85);
    const answered_at = isAnswered ? call.started.answered_at : null;
    const messages: { type: Type; data: MessageData<Type> }[] = [
      ...(isAnswered ? [{ type: 'call.started' as const, data: call.started }] : []),
      { type: 'call.ended', data: { ...call.ended, answered_at } },
      { type: 'call.analyzed', data: { ...call.analyzed, answered_at } },
    ];
    calls.push({
      callId: call.callId,
      endedAtMs: Date.parse(call.ended.ended_at),
      events: messages.map(({ type }) => EVENT_OF[type]),
    });
    if (random.chance(0.2)) messages.reverse();
    for (const { type, data } of messages) {
      const id = randomUUID();
      await publish(type, workspaceId, data, id);
      if (random.chance(0.1)) await publish(type, workspaceId, data, random.chance(0.5) ? id : randomUUID());
      await sleep(random.upTo(300));
    }
  };

  const run = async (): Promise<void> => {
    while (isRunning) {
      const publishing = publishCall().finally(() => underWay.delete(publishing));
      underWay.add(publishing);
      await sleep(1000 / perSecond);
    }
  };
  const running = run();
  const stop = async (): Promise<void> => {
    isRunning = false;
    await running;
    await Promise.all(underWay);
  };
  lifecycle.onStop('traffic', async () => {
    isRunning = false;
    await running;
  });
  return { calls, stop };
}
