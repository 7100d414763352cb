import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { realSleep } from '@parley/kit/time';
import { createCallWrites, saveCalls } from '../src/sessions/call-writes.store.ts';
import { endUntouched } from '../src/sessions/end-untouched.ts';
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

/** A joined call of a worker, and its end. */
async function taken() {
  const workspaceId = newWorkspace();
  const workerId = newWorkspace();
  const { clock, prisma } = harness.context;
  const { agent_id } = harness.peers.addAgent(workspaceId);
  const { body } = await harness.ask(workspaceId, 'POST', '/v2/call/web', { body: { agent_id } });
  await deps.transact((tx) => deps.webLines.open(tx, body.data.id, clock.now()));
  const [joined] = await createWebCalls(prisma).takeJoined(workerId, clock.now(), { audio: 0, text: 1 });
  if (!joined) throw new Error('the call was not taken');
  const { call } = joined;
  return { call, workerId, end: endUntouched(call, 'remote', clock.now()) };
}
type Taken = Awaited<ReturnType<typeof taken>>;

const write = ({ call }: Taken, then = async (): Promise<void> => {}) =>
  deps.transact(async (tx) => {
    const of = { workspaceId: call.workspaceId, callId: call.id };
    const outcome = await deps.webLines.write(tx, of, 'Hi', harness.context.clock.now());
    await then();
    return outcome;
  });

const messages = ({ call }: Taken) =>
  harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM web_messages WHERE call_id = ${call.id}::uuid`;

/** A point at which a transaction waits, before its commit. */
function pause() {
  const [reached, mayGoOn] = [createDeferred(), createDeferred()];
  const wait = async (): Promise<void> => {
    reached.resolve();
    await mayGoOn.promise;
  };
  return { reached: reached.promise, wait, goOn: () => mayGoOn.resolve() };
}

/** Gives it the time to reach the lock, or to end where there is none. */
const untilWaiting = (work: Promise<unknown>) => Promise.race([work, realSleep(300)]);

describe('a message that meets the end of its call leaves nothing behind', () => {
  it('written first', async () => {
    const { context } = harness;
    const call = await taken();
    const writes = createCallWrites({
      ...context,
      sql: context.prisma,
      circuitRules: { failures: 1, firstPauseMs: 1, longestPauseMs: 1 },
      withoutErased: async (_, value) => value,
      onEnded: () => {},
    });
    const { reached, wait, goOn } = pause();
    const writing = write(call, wait);
    await reached;
    const owner = { workerId: call.workerId, isLive: () => true };
    const saving = writes.save(owner, call.call, call.end);
    await untilWaiting(saving);
    goOn();
    expect([await writing, await saving]).toEqual(['written', true]);
    expect(await messages(call)).toEqual([]);
  });

  it('written while the end is being committed', async () => {
    const call = await taken();
    const { reached, wait, goOn } = pause();
    const ending = deps.transact(async (tx) => {
      await saveCalls(
        tx,
        [{ ...call.end, call: call.call, workerId: call.workerId }],
        harness.context.clock.now(),
      );
      await wait();
    });
    await reached;
    const writing = write(call);
    await untilWaiting(writing);
    goOn();
    await ending;
    expect(await writing).toBe('over');
    expect(await messages(call)).toEqual([]);
  });
});
