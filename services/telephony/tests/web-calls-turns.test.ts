import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ApiDeps, createApiDeps } from '../src/start-api.ts';
import { createWebCalls } from '../src/web-calls/web-calls.store.ts';
import { type Harness, newWorkspace, startHarness } from './harness.ts';

/** No worker runs here: the test takes the calls. */
let harness: Harness;
let deps: ApiDeps;

beforeAll(async () => {
  harness = await startHarness();
  deps = createApiDeps(harness.context);
});
afterAll(() => harness.close());

const waiting = async (workspaceId: string, count: number): Promise<void> => {
  const { agent_id } = harness.peers.addAgent(workspaceId);
  harness.peers.setSettings(workspaceId, { max_live_calls: 1_000 });
  for (let n = 0; n < count; n += 1) {
    const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
    const { id } = body.data;
    await deps.transact((tx) => deps.webLines.openAudio(tx, id, 'participant', harness.context.clock.now()));
  }
};

it('workspaces take turns with the rooms of a worker: none fills it while another waits [trust.1]', async () => {
  const [busy, other, third] = [newWorkspace(), newWorkspace(), newWorkspace()];
  const webCalls = createWebCalls(harness.context.prisma);
  const workerId = newWorkspace();
  const take = async (audio: number, by = workerId): Promise<Record<string, number>> => {
    const taken = await webCalls.takeJoined(by, harness.context.clock.now(), { audio, text: 0 });
    const of = (id: string): number => taken.filter(({ call }) => call.workspaceId === id).length;
    return { busy: of(busy), other: of(other), third: of(third) };
  };
  await waiting(busy, 20);
  await waiting(other, 2);
  expect(await take(8)).toEqual({ busy: 6, other: 2, third: 0 });
  // Alone, it may have all.
  expect(await take(4)).toEqual({ busy: 4, other: 0, third: 0 });
  await waiting(other, 3);
  await waiting(third, 3);
  // The others come first until they have as many calls of this worker.
  expect(await take(7)).toEqual({ busy: 1, other: 3, third: 3 });
  // Another worker carries none yet.
  await waiting(other, 3);
  expect(await take(4, newWorkspace())).toEqual({ busy: 2, other: 2, third: 0 });
});
