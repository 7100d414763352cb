import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Clock } from '@parley/kit/time';
import { eventually } from '@parley/testkit';
import { type ApiDeps, createApiDeps } from '../src/start-api.ts';
import { endUntaken } from '../src/web-calls/end-untaken.ts';
import { createWebCalls } from '../src/web-calls/web-calls.store.ts';
import { type Harness, newWorkspace, startHarness } from './harness.ts';
import { publishedEventsOf, readCall } from './place-call.ts';

/** No worker runs here: tests run the sweep themselves. */
let harness: Harness;
let deps: ApiDeps;

beforeAll(async () => {
  harness = await startHarness();
  deps = createApiDeps(harness.context);
});
afterAll(() => harness.close());

type Joined = { id: string; workspaceId: string; token: string; joinedMs: number };

async function started(workspaceId = newWorkspace()) {
  const { agent_id } = harness.peers.addAgent(workspaceId);
  return harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
}

async function joined(media: 'audio' | 'text', workspaceId = newWorkspace()): Promise<Joined> {
  const { id, access_token: token } = (await started(workspaceId)).body.data;
  const now = harness.context.clock.now();
  await deps.transact(async (tx) => {
    if (media === 'audio') await deps.webLines.openAudio(tx, id, 'participant', now);
    else await deps.webLines.open(tx, id, now);
  });
  return { id, workspaceId, token, joinedMs: now.getTime() };
}

const sweepAt = (ms: number) => {
  const clock: Clock = { ...harness.context.clock, now: () => new Date(ms) };
  const webCalls = createWebCalls(harness.context.prisma);
  return endUntaken({ transact: deps.transact, clock, webCalls });
};
const read = ({ workspaceId, id }: Joined) => readCall(harness, workspaceId, id);
const leave = ({ token }: Joined) =>
  harness.ask('', 'POST', '/widget/session/leave', { token: false, headers: { 'x-access-token': token } });
const untilEndPublished = (id: string) =>
  eventually(() => expect(publishedEventsOf(harness, id)).toContain('call.ended'));

describe('a web call that no worker has taken [web-calls.10]', () => {
  it.each(['audio', 'text'] as const)(
    'ends at once when its visitor leaves (%s), and counts no longer',
    async (media) => {
      const workspaceId = newWorkspace();
      harness.peers.setSettings(workspaceId, { max_live_calls: 1 });
      const call = await joined(media, workspaceId);
      expect((await started(workspaceId)).status).toBe(429);
      const { status, body } = await leave(call);
      expect([status, body.data]).toEqual([
        200,
        { call_id: call.id, status: 'completed', disconnection_reason: 'user_hangup' },
      ]);
      expect(await read(call)).toMatchObject({ answered_at: null, duration: 0, cost: 0 });
      await untilEndPublished(call.id);
      expect((await started(workspaceId)).status).toBe(201);
      expect((await leave(call)).status).toBe(409);
    },
  );

  it('ends if its visitor has left, as with a process of the previous version', async () => {
    const call = await joined('audio');
    const leftAt = new Date(call.joinedMs + 8_000);
    await deps.webLines.end(call.id, 'remote', leftAt);
    await sweepAt(call.joinedMs + 9_000);
    expect(await read(call)).toMatchObject({
      status: 'completed',
      disconnection_reason: 'user_hangup',
      ended_at: leftAt.toISOString(),
    });
    await untilEndPublished(call.id);
  });

  it('ends with error 30 seconds after it was joined by audio; one by text waits', async () => {
    const [spoken, written] = [await joined('audio'), await joined('text')];
    await sweepAt(spoken.joinedMs + 29_999);
    expect((await read(spoken)).status).toBe('queued');
    await sweepAt(written.joinedMs + 30_001);
    expect(await read(spoken)).toMatchObject({ status: 'completed', disconnection_reason: 'error' });
    expect((await read(written)).status).toBe('queued');
    await untilEndPublished(spoken.id);
    expect((await leave(spoken)).status).toBe(409);
  });

  it('is either ended or taken, once, at any interleaving of sweeps, workers and visitors', async () => {
    const calls: Joined[] = [];
    while (calls.length < 30) calls.push(await joined('audio'));
    const now = Math.max(...calls.map(({ joinedMs }) => joinedMs)) + 30_000;
    const workerId = newWorkspace();
    const webCalls = createWebCalls(harness.context.prisma);
    const take = () => webCalls.takeJoined(workerId, new Date(now), { audio: 4, text: 0 });
    const [takenFirst, takenNext] = await Promise.all([
      take(),
      take(),
      sweepAt(now),
      sweepAt(now),
      ...calls.slice(20).map(leave),
    ]);
    await Promise.all([sweepAt(now), sweepAt(now)]);
    const taken = new Set([...takenFirst, ...takenNext].map(({ call }) => call.id));
    for (const call of calls) {
      const { status } = await read(call);
      expect([call.id, status]).toEqual([call.id, taken.has(call.id) ? 'ringing' : 'completed']);
      if (taken.has(call.id)) continue;
      await untilEndPublished(call.id);
      const ends = await harness.sql.$queryRaw<
        unknown[]
      >`SELECT 1 FROM call_events WHERE call_id = ${call.id}::uuid AND type = 'ended'`;
      expect(ends).toHaveLength(1);
      expect(publishedEventsOf(harness, call.id).filter((type) => type === 'call.ended')).toHaveLength(1);
    }
  });
});
