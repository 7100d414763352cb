import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { createErasedNumbers, createRemover } from '@parley/kit/removal';
import { removeErasedFiles } from '../src/after-call/recordings/erased-recordings.store.ts';
import type { RecordingStore } from '../src/after-call/recordings/ports.ts';
import { erasureSteps } from '../src/removal/erasure-steps.store.ts';
import { retentionSteps } from '../src/removal/retention-steps.store.ts';
import { workspaceSteps } from '../src/removal/workspace-steps.store.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

// Recordings in a store that needs a long time for each request, when their calls are erased or removed.

let harness: Harness;
let store: RecordingStore;
let original: RecordingStore;
beforeAll(async () => {
  harness = await startHarness({ PROCESSES: 'api' });
  store = harness.context.recordings;
  original = { ...store };
});
afterAll(() => harness.close());
afterEach(() => {
  Object.assign(store, original);
});

/** From now on the store needs this long to remove something. Returns what was removed. */
const slowDown = (ms: number): string[] => {
  const removed: string[] = [];
  const slowly = async (of: string) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    removed.push(of);
  };
  Object.assign(store, { remove: slowly, removeAll: slowly });
  return removed;
};

/** From now on the store removes nothing until `goOn`. */
const hold = () => {
  const [reached, goesOn] = [createDeferred<void>(), createDeferred<void>()];
  const removeAll = async () => {
    reached.resolve();
    await goesOn.promise;
  };
  Object.assign(store, { removeAll });
  return { reached: reached.promise, goOn: () => goesOn.resolve() };
};

const seedRecorded = async (workspaceId: string, fields: Record<string, unknown> = {}): Promise<string> => {
  const id = randomUUID();
  await seedCall(harness.sql, workspaceId, {
    id,
    recording_key: `${id}.wav`,
    recording_sid: 'RE1',
    ...fields,
  });
  return id;
};
const say = (callId: string, content: string, seq = 1) => harness.sql.$executeRaw`
  INSERT INTO turns (call_id, seq, role, content, at) VALUES (${callId}::uuid, ${seq}, 'user', ${content}, now())`;
/** Turns of a live call, written and corrected as by its worker, which serves other calls as well: it must not wait. */
const expectNoLock = (callId: string) =>
  harness.sql.$transaction(async (tx) => {
    await tx.$executeRaw`SET LOCAL lock_timeout = '500ms'`;
    await tx.$executeRaw`
      INSERT INTO turns (call_id, seq, role, content, at) VALUES (${callId}::uuid, 2, 'user', 'hello', now())`;
    await tx.$executeRaw`UPDATE turns SET interrupted = true WHERE call_id = ${callId}::uuid`;
    await tx.$executeRaw`UPDATE calls SET phase = 'up' WHERE id = ${callId}::uuid`;
  });
const rowsOf = (workspaceId: string) => harness.sql.$queryRaw<Json[]>`
  SELECT recording_key FROM calls WHERE workspace_id = ${workspaceId}::uuid AND recording_key IS NOT NULL`;

/** Runs a pass of a removal; rejects if the service fails. */
const startRemoval = (workspaceId: string, phoneNumber: string | null) => {
  const path = `/internal/removals/${randomUUID()}/advance`;
  let pass = 0;
  return async (): Promise<Json> => {
    pass += 1;
    for (;;) {
      const body = { pass, phone_number: phoneNumber, keep_do_not_call: true };
      const answer = await harness.callAsService(workspaceId, 'POST', path, body);
      if (answer.status !== 200) throw new Error(`status ${answer.status}`);
      if (answer.body.data.done) return answer.body.data;
    }
  };
};

it('[trust.19] an erasure keeps no live call waiting for the store, and sends it requests for recordings only', async () => {
  const [workspaceId, person] = [newWorkspace(), anyNumber()];
  const live = await seedCall(harness.sql, workspaceId, LIVE);
  const unrecorded = await seedCall(harness.sql, workspaceId);
  const recorded = await seedRecorded(workspaceId);
  for (const id of [live.id, unrecorded.id, recorded]) await say(id, `call ${person}`);
  const { reached, goOn } = hold();
  const passing = startRemoval(workspaceId, person)();
  await reached;
  await expectNoLock(live.id);
  // Its link is gone before the file.
  expect(await rowsOf(workspaceId)).toEqual([]);
  const removed = slowDown(0);
  goOn();
  expect((await passing).removed).toMatchObject({ turns: 3, recordings: 1 });
  expect(removed).toEqual([]);
});

it('[trust.19] an erasure that a broken store has stopped removes the files later', async () => {
  const [workspaceId, person] = [newWorkspace(), anyNumber()];
  const recorded = await seedRecorded(workspaceId);
  await say(recorded, person);
  Object.assign(store, { removeAll: () => Promise.reject(new Error('down')) });
  const pass = startRemoval(workspaceId, person);
  await expect(pass()).rejects.toThrow('status 500');
  await expect(pass()).rejects.toThrow('status 500');
  const removed = slowDown(0);
  await pass();
  expect(removed).toEqual([recorded]);
  await pass();
  expect(removed).toEqual([recorded]);
});

it('[trust.19] what an erasure has left is removed without it', async () => {
  const id = randomUUID();
  await harness.sql.$executeRaw`
    INSERT INTO erased_recordings (call_id, workspace_id) VALUES (${id}::uuid, ${newWorkspace()}::uuid)`;
  const removed = slowDown(0);
  const { outbox } = harness.context;
  const any = { workspaceId: null, maxCalls: 10 };
  expect(await outbox.transaction((tx) => removeErasedFiles(tx, store, any))).toBe(false);
  expect(removed).toEqual([id]);
  await outbox.transaction((tx) => removeErasedFiles(tx, store, any));
  expect(removed).toEqual([id]);
});

it('[trust.19] an erasure of 150 recordings gets done', async () => {
  const [workspaceId, person] = [newWorkspace(), anyNumber()];
  const ids: string[] = [];
  for (let n = 0; n < 150; n += 1) ids.push(await seedRecorded(workspaceId));
  for (const id of ids) await say(id, person);
  const removed = slowDown(100);
  expect((await startRemoval(workspaceId, person)()).removed).toMatchObject({ recordings: 150 });
  expect(removed.sort()).toEqual(ids.sort());
}, 60_000);

it.each(['calls that mention a person', 'calls of a person', 'calls of a workspace'])(
  '[trust.19] a removal of %s repeats a batch whose transaction took too long with half of the recordings',
  async (kind) => {
    const [workspaceId, person] = [newWorkspace(), anyNumber()];
    const isOfPerson = kind === 'calls of a person';
    const ids: string[] = [];
    for (let n = 0; n < 50; n += 1)
      ids.push(await seedRecorded(workspaceId, isOfPerson ? { to_number: person } : {}));
    if (kind === 'calls that mention a person') for (const id of ids) await say(id, person);
    const { outbox, clock } = harness.context;
    const steps = { clock, recordings: store, removeUnusedSegments: async () => {} };
    const remover = createRemover({
      transact: (work) => outbox.transaction(work, { timeoutMs: 1_000 }),
      erasure: erasureSteps(steps),
      workspace: workspaceSteps(steps),
      service: 'telephony',
      amqp: { rewriteDeadLetters: async () => ({ changed: 0, left: 0 }) },
      erasedNumbers: createErasedNumbers({ client: harness.sql, keys: [Buffer.alloc(32, 1)] }),
    });
    const phoneNumber = kind === 'calls of a workspace' ? null : person;
    const target = { removalId: randomUUID(), workspaceId, phoneNumber, keepDoNotCall: true };
    // 50 calls need 1.25 seconds, 25 need 0.75.
    const removed = slowDown(250);
    let timeouts = 0;
    for (let isDone = false; !isDone; ) {
      isDone = await remover.advance(target, 1).then(
        ({ done }) => done,
        (err) => {
          expect(err).toMatchObject({ code: 'P2028' });
          timeouts += 1;
          expect(timeouts).toBeLessThan(4);
          return false;
        },
      );
    }
    expect(timeouts).toBeGreaterThan(0);
    expect([...new Set(removed)].sort()).toEqual(ids.sort());
    expect(await rowsOf(workspaceId)).toEqual([]);
  },
  60_000,
);

it.each(['recordings', 'calls'])(
  '[trust.21] a batch of the retention of %s fits into its transaction',
  async (kind) => {
    const workspaceId = newWorkspace();
    const created_at = new Date(Date.now() - 86_400_000);
    for (let n = 0; n < 60; n += 1) await seedRecorded(workspaceId, { created_at });
    const removed = slowDown(250);
    const step = retentionSteps({ recordings: store }).find(({ place }) => place === kind);
    const count = await harness.context.outbox.transaction(
      async (tx) => await step?.remove(tx, workspaceId, new Date()),
    );
    expect([count, new Set(removed).size, removed.length]).toEqual([50, 50, 50]);
    expect(await rowsOf(workspaceId)).toHaveLength(10);
  },
  60_000,
);

it('[trust.20] the removal of other calls keeps no live call waiting for the store', async () => {
  const workspaceId = newWorkspace();
  const live = await seedCall(harness.sql, workspaceId, LIVE);
  await say(live.id, 'hello');
  await seedRecorded(workspaceId);
  const { reached, goOn } = hold();
  const passing = startRemoval(workspaceId, null)();
  await reached;
  await expectNoLock(live.id);
  goOn();
  expect(await passing).toMatchObject({ waiting: 'calls that are in progress or being recorded' });
});
