import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import { createLogger } from '@parley/kit/log';
import { eventually } from '@parley/testkit';
import { createSegments } from '../src/after-call/recordings/live/segments.store.ts';
import {
  type RecordedCall,
  type RecordingStore,
  RecordingStoreError,
} from '../src/after-call/recordings/ports.ts';
import { type RecordDeps, recordCall } from '../src/after-call/recordings/record-due.ts';
import { createRecordingQueue } from '../src/after-call/recordings/recording-queue.store.ts';
import { createSnapshotArchive } from '../src/assistants/snapshot-archive.store.ts';
import { readRecords } from '../src/sessions/call-records.store.ts';
import { type BucketServer, bucketServer } from './bucket-server.ts';
import { anyNumber, type Harness, type Json, newWorkspace, startHarness } from './harness.ts';
import { LIVE, seedCall } from './seed-call.ts';

// Recordings that are still to be made when words of their calls are erased. Workers are driven by hand, and die by the expiry of
// their lease: what they do afterwards is what a suspended process does, or nothing after kill -9.

const WAITS = 'a recording that is made again without the number';
const FOREVER = new Promise<never>(() => {});
const isDown = () => Promise.reject(new RecordingStoreError('down'));
const DOWN: Pick<RecordingStore, 'remove' | 'removeAll'> = { remove: isDown, removeAll: isDown };

let server: BucketServer;
beforeAll(async () => {
  server = await bucketServer();
});
afterAll(() => server.close());

describe.each(['files', 'a bucket'])(
  '[trust.19] a recording that is to be made, in %s, when a number is erased',
  (kind) => {
    let harness: Harness;
    let store: RecordingStore;
    beforeAll(async () => {
      harness = await startHarness({ PROCESSES: 'api', ...(kind === 'files' ? {} : server.env) });
      store = harness.context.recordings;
    });
    afterAll(() => harness.close());

    let workspaceId: string;
    let person: string;
    let agent: { agent_id: string; agent_version: number };
    beforeEach(async () => {
      workspaceId = newWorkspace();
      person = anyNumber();
      const snapshot = harness.peers.addAgent(workspaceId);
      const { prisma, secrets, clock } = harness.context;
      await createSnapshotArchive({ prisma, secrets, clock }).keep(snapshot);
      agent = { agent_id: snapshot.agent_id, agent_version: snapshot.version };
    });
    const ends = new Set<() => void>();
    afterEach(async () => {
      for (const end of ends) end();
      await harness.sql.$executeRaw`DELETE FROM recording_jobs`;
    });

    /** A call with someone else, which mentions the person, and whose recording is due. */
    const seedMention = async (): Promise<string> => {
      const { id } = await seedCall(harness.sql, workspaceId, { ...agent, recording_key: null });
      await harness.sql.$executeRaw`
      INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, 1, 'user', ${person}, now())`;
      await harness.sql.$executeRaw`
      INSERT INTO recording_jobs (call_id, workspace, due_at) VALUES (${id}::uuid, ${workspaceId}::uuid, now())`;
      return id;
    };

    /** The first part of the recording that a worker made during the call. */
    const seedSegment = (callId: string) => {
      const segment = { id: randomUUID(), callId, workspaceId, workerId: randomUUID(), startMs: 0 };
      return createSegments(harness.context.prisma).begin({ ...segment, sampleRate: 8_000 });
    };

    const createWorker = async (given: { hasAudio?: boolean; store?: Partial<RecordingStore> } = {}) => {
      const workerId = randomUUID();
      await harness.sql.$executeRaw`
      INSERT INTO call_workers (id, expires_at) VALUES (${workerId}::uuid, now() + interval '1 hour')`;
      const { prisma, secrets, clock } = harness.context;
      const logged: string[] = [];
      const destination = { write: (line: string) => void logged.push(line) };
      const queue = createRecordingQueue({ sql: prisma, workerId });
      const segments = createSegments(prisma);
      const content = (words: string) => ({
        seconds: 1,
        length: words.length,
        bytes: (async function* () {
          yield Buffer.from(words);
        })(),
      });
      const stop = new AbortController();
      ends.add(() => stop.abort());
      let wasAlways = true;
      let isAlive = true;
      return {
        workerId,
        queue,
        logged: (level: 'error' | 'warn') =>
          logged.map((line) => JSON.parse(line)).filter((line) => line.level === level),
        /** Makes the recordings that are due. */
        record: async (overrides: Partial<RecordingStore> = {}): Promise<number> => {
          const deps = {
            queue,
            archive: createSnapshotArchive({ prisma, secrets, clock }),
            clock,
            log: createLogger({ service: 'test', level: 'warn', destination }),
            store: { ...store, ...given.store, ...overrides },
            readRecords: (ids: readonly string[]) => readRecords(prisma, ids),
            recorder: { record: ({ record }: RecordedCall) => content(JSON.stringify(record)) },
            hasAudio: () => given.hasAudio ?? false,
            live: {
              collect: async (callId: string) =>
                (await segments.ofCall(callId)).length === 0
                  ? null
                  : { recording: content(`audio ${person}`), isComplete: true, release: () => {} },
            },
            share: { isUsedUp: () => false, isLimited: false },
            watchLease: () => () => isAlive,
          } as unknown as RecordDeps;
          const claim = { now: later(), limit: 10, share: 10, running: [] };
          const claimed = await queue.claim(claim);
          for (const due of claimed) await recordCall(deps, { ...due, isHeld: () => wasAlways }, stop.signal);
          return claimed.length;
        },
        stop: () => stop.abort(),
        /** For the others it is dead from now on. */
        die: async () => {
          wasAlways = false;
          isAlive = false;
          await harness.sql.$executeRaw`
          UPDATE call_workers SET expires_at = clock_timestamp() WHERE id = ${workerId}::uuid`;
        },
        liveAgain: async () => {
          isAlive = true;
          await harness.sql.$executeRaw`
          UPDATE call_workers SET expires_at = now() + interval '1 hour' WHERE id = ${workerId}::uuid`;
        },
      };
    };

    const erase = (phoneNumber: string | null = person) => {
      const id = randomUUID();
      let pass = 0;
      /** Runs a whole pass. */
      return async (): Promise<{ isCompleted: boolean; waiting: string | null }> => {
        pass += 1;
        for (;;) {
          const path = `/internal/removals/${id}/advance`;
          const body = { pass, phone_number: phoneNumber, keep_do_not_call: true };
          const answer = await harness.callAsService(workspaceId, 'POST', path, body);
          expect(answer.status).toBe(200);
          await harness.sql.$executeRaw`
          UPDATE removals SET began_at = began_at - interval '1 minute' WHERE id = ${id}::uuid`;
          const { done, found, waiting } = answer.body.data;
          if (done) return { isCompleted: pass > 1 && found === 0 && waiting === null, waiting };
        }
      };
    };
    const isCompleted = async (pass: ReturnType<typeof erase>): Promise<boolean> => {
      for (let n = 0; n < 3; n += 1) if ((await pass()).isCompleted) return true;
      return false;
    };

    const later = () => new Date(harness.context.clock.now().getTime() + 3_600_000);
    const folder = () => harness.env.RECORDINGS_DIR ?? '';
    const isWaitingForLock = () =>
      eventually(async () => {
        const rows = await harness.sql.$queryRaw<Json[]>`SELECT pid FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        expect(rows).toHaveLength(1);
      });
    /** All files of the call, also unfinished ones. */
    const filesOf = async (id: string): Promise<string[]> => {
      const names =
        kind === 'files' ? await readdir(folder(), { recursive: true }).catch(() => []) : await server.keys();
      return names.map((name) => basename(name)).filter((name) => name.startsWith(id));
    };
    const callOf = async (id: string) => {
      const [call] = await harness.sql.$queryRaw<Json[]>`SELECT * FROM calls WHERE id = ${id}::uuid`;
      return call;
    };
    const jobOf = async (id: string) => {
      const [job] = await harness.sql.$queryRaw<
        Json[]
      >`SELECT * FROM recording_jobs WHERE call_id = ${id}::uuid`;
      return job;
    };
    const textOf = async (key: string): Promise<string> => {
      const stored = await store.open(key);
      if (!stored) return '';
      const stream =
        'file' in stored
          ? createReadStream(stored.file)
          : await stored.content.read({ start: 0, end: stored.content.size - 1 });
      return String(await buffer(stream));
    };
    const expectRecordingWithout = async (id: string) => {
      const { recording_key } = await callOf(id);
      expect(await filesOf(id)).toEqual([recording_key]);
      expect(await textOf(recording_key)).not.toContain(person.slice(1));
      expect(await textOf(recording_key)).toContain('"role":"user"');
    };

    /** A claim that stops before or after the file is stored, until it goes on. */
    const heldAt = (moment: 'before' | 'after') => {
      const [reached, goesOn] = [createDeferred<void>(), createDeferred<void>()];
      ends.add(() => goesOn.resolve());
      const put: RecordingStore['put'] = async (...recording) => {
        if (moment === 'after') await store.put(...recording);
        reached.resolve();
        await goesOn.promise;
        if (moment === 'before') await store.put(...recording);
      };
      return { reached: reached.promise, goOn: () => goesOn.resolve(), store: { put } };
    };

    it.each(['before', 'after'] as const)(
      'a claim that was begun before ends first: it has read the number (%s it stores the file)',
      async (moment) => {
        const id = await seedMention();
        const [first, second] = [await createWorker(), await createWorker()];
        const held = heldAt(moment);
        const running = first.record(held.store);
        await held.reached;
        const pass = erase();
        expect((await pass()).waiting).toBe(WAITS);
        expect(await second.record()).toBe(0);
        expect((await pass()).waiting).toBe(WAITS);
        held.goOn();
        await running;
        expect(await filesOf(id)).toEqual([]);
        expect((await pass()).waiting).toBe(WAITS);
        expect(await second.record()).toBe(1);
        await expectRecordingWithout(id);
        expect(await isCompleted(pass)).toBe(true);
        expect([await jobOf(id), second.logged('error')]).toEqual([undefined, []]);
      },
    );

    it.each([
      ['wrote the file', { isWhole: false }],
      ['had stored the file', { isWhole: true }],
    ])('a worker that was killed when it %s leaves nothing', async (_, { isWhole }) => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('before');
      const killed = createDeferred<void>();
      void first.record({
        put: async (key, { length, bytes }, signal) => {
          const unfinished = async function* () {
            yield Buffer.from(person);
            killed.resolve();
            await FOREVER;
          };
          await held.store.put(key, { length, bytes: isWhole ? bytes : unfinished() }, signal);
          killed.resolve();
          await FOREVER;
        },
      });
      await held.reached;
      const pass = erase();
      expect((await pass()).waiting).toBe(WAITS);
      held.goOn();
      await killed.promise;
      await first.die();
      if (isWhole || kind === 'files') expect(await filesOf(id)).toHaveLength(1);
      expect((await pass()).waiting).toBe(WAITS);
      expect(await second.record()).toBe(1);
      await expectRecordingWithout(id);
      expect(await isCompleted(pass)).toBe(true);
    });

    it('a recording of audio that is being joined is not stored: the call is analyzed without it', async () => {
      const id = await seedMention();
      await seedSegment(id);
      const [first, second] = [
        await createWorker({ hasAudio: true }),
        await createWorker({ hasAudio: true }),
      ];
      const held = heldAt('after');
      const running = first.record(held.store);
      await held.reached;
      const pass = erase();
      expect((await pass()).waiting).toBe(WAITS);
      held.goOn();
      await running;
      expect((await pass()).waiting).toBe(WAITS);
      await second.record();
      expect([await filesOf(id), await jobOf(id)]).toEqual([[], undefined]);
      expect(await callOf(id)).toMatchObject({ recording_key: null, analysis_due_at: expect.any(Date) });
      expect(second.logged('error')).toEqual([]);
      expect(await isCompleted(pass)).toBe(true);
    });

    it('what is stored although its response is lost keeps the erasure waiting until it can be removed', async () => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('before');
      const running = first.record({
        ...DOWN,
        put: async (...recording) => {
          await held.store.put(...recording);
          throw new RecordingStoreError('the response is lost');
        },
      });
      await held.reached;
      const pass = erase();
      await pass();
      held.goOn();
      await running;
      expect(await filesOf(id)).toEqual([`${id}.wav`]);
      await second.record(DOWN);
      expect(await filesOf(id)).toEqual([`${id}.wav`]);
      expect((await pass()).waiting).toBe(WAITS);
      await second.record();
      await expectRecordingWithout(id);
      expect(await isCompleted(pass)).toBe(true);
    });

    it.each([
      ['fails', false],
      ['is ended by the stop of its process', true],
    ])('a void claim that %s removes its file', async (_, stops) => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('before');
      const running = first.record({
        put: async (...recording) => {
          await held.store.put(...recording);
          if (stops) first.stop();
          throw new Error('fails');
        },
      });
      await held.reached;
      await erase()();
      held.goOn();
      await running;
      expect(await filesOf(id)).toEqual([]);
      if (stops) await first.die();
      expect(await second.record()).toBe(1);
      await expectRecordingWithout(id);
    });

    it('a worker that counts as dead replaces no recording, and its own file goes', async () => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('before');
      let endLate = () => {};
      const running = first.record({
        put: async (key, { length }, signal) => {
          await held.store.put(key, { length, bytes: bytesOf(person.padEnd(length)) }, signal);
          await new Promise<void>((resolve) => {
            endLate = resolve;
          });
        },
      });
      await held.reached;
      const pass = erase();
      await pass();
      await first.die();
      await second.record();
      const { recording_key } = await callOf(id);
      expect(await isCompleted(pass)).toBe(true);
      held.goOn();
      while (!(await filesOf(id)).includes(`${id}.wav`))
        await new Promise((resolve) => setTimeout(resolve, 10));
      expect(await textOf(recording_key)).not.toContain(person.slice(1));
      endLate();
      await running;
      await expectRecordingWithout(id);
    });

    /** A claim whose first file is stored when `goOn` is called. */
    const slowRecording = async () => {
      const id = await seedMention();
      const worker = await createWorker();
      const [reached, goesOn] = [createDeferred<void>(), createDeferred<void>()];
      ends.add(() => goesOn.resolve());
      const [begun, stored]: string[][] = [[], []];
      const running = worker.record({
        put: async (key, recording, signal) => {
          begun?.push(key);
          reached.resolve();
          await goesOn.promise;
          await store.put(key, recording, signal);
          stored?.push(key);
        },
      });
      await reached.promise;
      return { id, worker, begun, stored, running, goOn: () => goesOn.resolve() };
    };

    it('a worker that counts as dead stores nothing until it lives again, and then goes on: its claim is its own', async () => {
      const { id, worker, begun, running, goOn } = await slowRecording();
      await worker.die();
      goOn();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await callOf(id)).toMatchObject({ recording_key: null });
      expect(await store.open(`${id}.wav`)).toBeNull();
      await worker.liveAgain();
      await running;
      expect(begun).toEqual([`${id}.wav`]);
      expect(await callOf(id)).toMatchObject({ recording_key: `${id}.wav` });
      expect([await filesOf(id), await jobOf(id)]).toEqual([begun, undefined]);
    });

    it('a worker that counted as dead stores nothing if another one was given the claim', async () => {
      const { id, worker, stored, running, goOn } = await slowRecording();
      await worker.die();
      const second = await createWorker();
      const put = () => Promise.reject(new RecordingStoreError('down'));
      expect(await second.record({ put })).toBe(1);
      await worker.liveAgain();
      goOn();
      await running;
      expect(stored).toEqual([]);
      expect([await filesOf(id), await callOf(id)]).toMatchObject([[], { recording_key: null }]);
      expect(await jobOf(id)).toMatchObject({ attempts: 2, waits: 1, lease_until: null });
      await second.record();
      expect(await callOf(id)).toMatchObject({ recording_key: `${id}.3.wav` });
    });

    it('the file stays if the recording is saved after its worker has lost the connection', async () => {
      const id = await seedMention();
      const worker = await createWorker();
      const { finish } = worker.queue;
      const isLost = createDeferred<void>();
      worker.queue.finish = async (...args) => {
        void finish(...args);
        await isWaitingForLock();
        isLost.resolve();
        throw new AppError('SERVICE_UNAVAILABLE', 'the connection is lost');
      };
      let running: Promise<unknown> = Promise.resolve();
      await harness.sql.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT FROM calls WHERE id = ${id}::uuid FOR UPDATE`;
        running = worker.record();
        await isLost.promise;
        // Long enough for a worker that doesn't wait.
        await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 500))]);
      });
      await running;
      expect(await callOf(id)).toMatchObject({ recording_key: `${id}.wav` });
      expect([await filesOf(id), await jobOf(id)]).toEqual([[`${id}.wav`], undefined]);
    });

    it('a recording that the server would save after its file was removed has no effect', async () => {
      const id = await seedMention();
      const worker = await createWorker();
      const { finish } = worker.queue;
      let save = async () => true;
      worker.queue.finish = async (...args) => {
        save = () => finish(...args);
        throw new AppError('SERVICE_UNAVAILABLE', 'the connection is lost');
      };
      await worker.record();
      expect(await filesOf(id)).toEqual([]);
      expect(await save()).toBe(false);
      expect(await callOf(id)).toMatchObject({ recording_key: null });
      // One failed attempt: the number that has voided the claim counts as a wait.
      expect(await jobOf(id)).toMatchObject({ attempts: 2, waits: 1, lease_until: null });
      worker.queue.finish = finish;
      await worker.record();
      expect(await callOf(id)).toMatchObject({ recording_key: `${id}.3.wav` });
    });

    it('a call that ends while its turns lose the number is recorded without it', async () => {
      const { id } = await seedCall(harness.sql, workspaceId, { ...agent, ...LIVE });
      await harness.sql.$executeRaw`
        INSERT INTO turns (call_id, seq, role, content, at) VALUES (${id}::uuid, 1, 'user', ${person}, now())`;
      const worker = await createWorker();
      const other = await seedMention();
      await seedSegment(other);
      let [passing, ended]: Promise<unknown>[] = [];
      await harness.sql.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT FROM recording_segments WHERE call_id = ${other}::uuid FOR UPDATE`;
        passing = erase()();
        await isWaitingForLock();
        // As the statement that ends calls.
        ended = harness.sql.$transaction(
          (end) => end.$executeRaw`
          WITH saved AS (
            UPDATE calls SET status = 'completed', phase = 'ended', ended_at = now(), duration = 60, cost = 10,
              disconnection_reason = 'user_hangup' WHERE id = ${id}::uuid RETURNING id, workspace_id
          )
          INSERT INTO recording_jobs (call_id, workspace, due_at) SELECT id, workspace_id, now() FROM saved`,
        );
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 500))]);
        await worker.record();
      });
      await Promise.all([passing, ended]);
      await worker.record();
      await expectRecordingWithout(id);
    });

    it('a job without a recording removes the earlier file, and stays as long as that fails', async () => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('after');
      void first.record(held.store);
      await held.reached;
      await first.die();
      await harness.sql.$executeRaw`UPDATE calls SET answered_at = NULL WHERE id = ${id}::uuid`;
      expect(await filesOf(id)).toEqual([`${id}.wav`]);
      await second.record(DOWN);
      expect(await jobOf(id)).toMatchObject({ waits: 1 });
      await second.record();
      expect([await filesOf(id), await jobOf(id)]).toEqual([[], undefined]);
    });

    it('the file of a killed worker that cannot be removed keeps the erasure waiting, however often and for whatever reason', async () => {
      const id = await seedMention();
      const [first, second] = [await createWorker(), await createWorker()];
      const held = heldAt('after');
      void first.record(held.store);
      await held.reached;
      const pass = erase();
      await pass();
      await first.die();
      const removeAll = () => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }));
      for (let n = 0; n < 7; n += 1) expect(await second.record({ removeAll })).toBe(1);
      expect(await filesOf(id)).toEqual([`${id}.wav`]);
      expect((await pass()).waiting).toBe(WAITS);
      await second.record();
      await expectRecordingWithout(id);
      expect(await isCompleted(pass)).toBe(true);
    });

    it('voided claims are no failed attempts', async () => {
      const id = await seedMention();
      for (let n = 0; n < 7; n += 1) {
        await harness.sql.$executeRaw`UPDATE turns SET content = ${person} WHERE call_id = ${id}::uuid`;
        const worker = await createWorker();
        const held = heldAt('before');
        const running = worker.record(held.store);
        await held.reached;
        await erase()();
        held.goOn();
        await running;
      }
      const worker = await createWorker();
      await worker.record();
      await expectRecordingWithout(id);
      expect(worker.logged('error')).toEqual([]);
    });

    it('other recordings of the workspace are not waited for', async () => {
      await seedMention();
      await seedMention();
      const pass = erase(anyNumber());
      expect(await isCompleted(pass)).toBe(true);
    });

    it('the calls of the person are erased, and those of a workspace deleted, when no worker makes their recording, and none begins', async () => {
      for (const whole of [false, true]) {
        const id = await seedMention();
        await harness.sql.$executeRaw`UPDATE calls SET to_number = ${person} WHERE id = ${id}::uuid`;
        const [first, second] = [await createWorker(), await createWorker()];
        const held = heldAt('after');
        void first.record(held.store);
        await held.reached;
        const pass = erase(whole ? null : person);
        expect((await pass()).waiting).toMatch(/record/);
        await first.die();
        const { remove, removeAll } = store;
        const claimed: number[] = [];
        const claims = (work: (of: string) => Promise<void>) => async (of: string) => {
          const due = await second.queue.claim({ now: later(), limit: 10, share: 10, running: [] });
          claimed.push(due.length);
          await work(of);
        };
        Object.assign(store, { remove: claims(remove), removeAll: claims(removeAll) });
        expect(await isCompleted(pass)).toBe(true);
        Object.assign(store, { remove, removeAll });
        expect(new Set(claimed)).toEqual(new Set([0]));
        expect([await filesOf(id), await jobOf(id)]).toEqual([[], undefined]);
      }
    });
  },
);

const bytesOf = async function* (text: string) {
  yield Buffer.from(text);
};
