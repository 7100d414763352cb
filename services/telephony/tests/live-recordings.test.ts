import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AudioFrame, MediaSession } from '@parley/media';
import { createLiveRecordings } from '../src/after-call/recordings/live/live-recordings.ts';
import { createSegmentCopies } from '../src/after-call/recordings/live/segment-copies.ts';
import { createSegmentFiles, FRAME_BYTES } from '../src/after-call/recordings/live/segment-files.ts';
import { createSegments, markSegmentsRemovable } from '../src/after-call/recordings/live/segments.store.ts';
import { RecordingStoreError } from '../src/after-call/recordings/ports.ts';
import { mediaClock } from '../src/speech/media-clock.ts';
import { type BucketServer, bucketServer } from './bucket-server.ts';
import { type Harness, startHarness } from './harness.ts';

const RATE = 8_000;

let harness: Harness;
let server: BucketServer;
beforeAll(async () => {
  harness = await startHarness();
  server = await bucketServer();
});
afterAll(async () => {
  await server?.close();
  await harness.close();
});

/** A session that returns the values of the test. */
function doubleSession(sampleRate = RATE) {
  const heard = new Set<(frame: AudioFrame) => void>();
  const sent = new Set<(frame: AudioFrame) => void>();
  const on = (listeners: typeof heard) => (listener: (frame: AudioFrame) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const session = { sampleRate, onFrame: on(heard), onSent: on(sent) } as unknown as MediaSession;
  /** Audio of both sides at constant levels between two times of the call. */
  const talk = (answeredAtMs: number, [fromMs, toMs]: [number, number], [left, right]: [number, number]) => {
    for (let atMs = fromMs; atMs < toMs; atMs += 20) {
      const frame = (level: number): AudioFrame => ({
        samples: new Int16Array(sampleRate / 50).fill(level),
        sampleRate,
        atMs: answeredAtMs + atMs,
        source: 'audio',
      });
      for (const listener of heard) listener(frame(left));
      for (const listener of sent) listener(frame(right));
    }
  };
  return { session, talk };
}

describe.each([
  ['in a shared folder', false],
  ['on disks of their own, with a bucket', true],
])('recordings of live calls, %s [calls.19]', (_, hasBucket) => {
  const { signal } = new AbortController();
  let shared: string;
  const folders: string[] = [];
  beforeAll(async () => {
    shared = await newFolder();
  });
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  const running: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const recording of running.splice(0)) await recording.stop();
  });
  beforeEach(async () => {
    await harness.sql.$executeRaw`DELETE FROM recording_segments`;
  });

  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'live-recordings-'));
    folders.push(folder);
    return folder;
  };

  const setAlive = (id: string, isAlive: boolean) =>
    harness.sql.$executeRaw`INSERT INTO call_workers (id, expires_at)
      VALUES (${id}::uuid, clock_timestamp() + ${isAlive ? 3_600 : -1}::int * interval '1 second')
      ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at`;

  /** A live worker with its own disk or the shared one. */
  const newWorker = async ({ folder = '', maxSeconds = 3_600 } = {}) => {
    const disk = folder || (hasBucket ? await newFolder() : shared);
    const workerId = randomUUID();
    await setAlive(workerId, true);
    const files = createSegmentFiles(disk);
    const live = createLiveRecordings({
      ...{ workerId, share: { isUsedUp: () => false, isLimited: false } },
      segments: createSegments(harness.context.prisma),
      files,
      copies: hasBucket ? createSegmentCopies(server.bucket, files) : undefined,
      maxSeconds,
      log: harness.context.log,
      copyEveryMs: 0,
    });
    return { ...live, disk, files, kill: () => setAlive(workerId, false) };
  };

  const newCall = () => ({ id: randomUUID(), workspaceId: randomUUID() });
  const startAt = async (
    worker: Awaited<ReturnType<typeof newWorker>>,
    call: ReturnType<typeof newCall>,
    sinceAnswerMs: number,
    { sampleRate = RATE, isPaused = false } = {},
  ) => {
    const { session, talk } = doubleSession(sampleRate);
    const answeredAtMs = mediaClock.nowMs() - sinceAnswerMs;
    const recording = await worker.start(call, session, { sinceAnswerMs, isPaused: () => isPaused, signal });
    running.push(recording);
    return {
      ...recording,
      talk: (span: [number, number], levels: [number, number]) => talk(answeredAtMs, span, levels),
    };
  };

  const collected = async (worker: Awaited<ReturnType<typeof newWorker>>, callId: string) => {
    const found = await worker.collect(callId);
    if (!found) throw new Error('no recording');
    const { recording, isComplete, release } = found;
    const wav = await buffer(recording.bytes);
    release();
    expect(wav.length).toBe(recording.length);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    const at = (ms: number): [number, number] => {
      const offset = 44 + Math.floor((ms * wav.readUInt32LE(24)) / 1_000) * FRAME_BYTES;
      return [wav.readInt16LE(offset), wav.readInt16LE(offset + 2)];
    };
    return { at, isComplete, seconds: recording.seconds };
  };

  const eventuallyHas = async ({ files }: Awaited<ReturnType<typeof newWorker>>, ms: number) => {
    for (;;) {
      const ids = await files.list();
      const frames = await Promise.all(ids.map((id) => files.framesOf(id)));
      if (frames.some((count) => count !== null && count >= (ms * RATE) / 1_000)) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const leftovers = async (...workers: Awaited<ReturnType<typeof newWorker>>[]) => ({
    files: (await Promise.all(workers.map(({ disk }) => readdir(join(disk, 'live')).catch(() => [])))).flat(),
    objects: await server.keys(),
    rows: await harness.sql.$queryRaw<unknown[]>`SELECT * FROM recording_segments`,
  });
  const NOTHING = { files: [], objects: [], rows: [] };

  const markRemovable = (callId: string) => markSegmentsRemovable(harness.sql, [callId]);

  it('have both sides, silence where nothing arrived, and end at the maximum length', async () => {
    const worker = await newWorker({ maxSeconds: 4 });
    const call = newCall();
    const recording = await startAt(worker, call, 0);
    recording.talk([0, 1_000], [1_000, 2_000]);
    recording.talk([2_000, 9_000], [3_000, 4_000]);
    await recording.stop();
    const { at, seconds, isComplete } = await collected(worker, call.id);
    expect([seconds, isComplete]).toEqual([4, true]);
    expect([at(500), at(1_500), at(3_900)]).toEqual([
      [1_000, 2_000],
      [0, 0],
      [3_000, 4_000],
    ]);
    await markRemovable(call.id);
    await worker.maintain();
    expect(await leftovers(worker)).toEqual(NOTHING);
  });

  it('go on in another worker, also at another rate, with silence for the time in between', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const call = newCall();
    const before = await startAt(first, call, 0);
    before.talk([0, 2_000], [1_000, 2_000]);
    await before.stop();
    await first.drain();
    await first.kill();
    const after = await startAt(second, call, 5_400, { sampleRate: 16_000 });
    after.talk([5_400, 8_000], [3_000, 4_000]);
    await after.stop();
    const { at, seconds, isComplete } = await collected(second, call.id);
    expect([seconds, isComplete]).toEqual([8, true]);
    expect([at(1_900), at(2_100), at(4_900), at(7_000)]).toEqual([
      [1_000, 2_000],
      [0, 0],
      [0, 0],
      [3_000, 4_000],
    ]);
    await markRemovable(call.id);
    await second.maintain();
    expect(await leftovers(first, second)).toEqual(NOTHING);
  });

  it('are silent while they are paused, also from the beginning of the next part [calls.28]', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const call = newCall();
    const before = await startAt(first, call, 0);
    before.talk([0, 2_000], [1_000, 2_000]);
    before.pause(true);
    before.talk([2_000, 4_000], [7_000, 7_000]);
    await before.stop();
    await first.drain();
    await first.kill();
    const after = await startAt(second, call, 5_400, { isPaused: true });
    after.talk([5_400, 8_000], [7_000, 7_000]);
    after.pause(false);
    after.talk([8_000, 10_000], [3_000, 4_000]);
    await after.stop();
    const { at, seconds } = await collected(second, call.id);
    expect([at(1_900), at(8_100), seconds]).toEqual([[1_000, 2_000], [3_000, 4_000], 10]);
    expect([2_100, 3_900, 5_500, 7_900].flatMap(at)).toEqual(Array(8).fill(0));
    await markRemovable(call.id);
    await second.maintain();
  });

  it('lose at most a second of what a killed worker recorded, once its disk is back', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const call = newCall();
    const before = await startAt(first, call, 0);
    before.talk([0, 5_000], [1_000, 2_000]);
    // As after a kill: the file is not closed.
    await eventuallyHas(first, 4_100);
    await first.kill();
    if (hasBucket) expect((await collected(second, call.id)).isComplete).toBe(false);
    const restarted = await newWorker({ folder: first.disk });
    await restarted.maintain();
    const { at, seconds, isComplete } = await collected(second, call.id);
    expect([seconds >= 4, isComplete]).toEqual([true, true]);
    expect(at(4_000)).toEqual([1_000, 2_000]);
    await before.stop();
    await markRemovable(call.id);
    await restarted.maintain();
    expect(await leftovers(first, second)).toEqual(NOTHING);
  });

  it('are removed by their worker while it lives, and by any other later', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const [call, other] = [newCall(), newCall()];
    for (const one of [call, other]) (await startAt(first, one, 0)).talk([0, 3_000], [1_000, 2_000]);
    await first.maintain();
    await markRemovable(call.id);
    await second.maintain();
    expect((await leftovers()).rows).toHaveLength(2);
    await first.maintain();
    expect((await leftovers(first)).files).toHaveLength(1);
    expect((await leftovers()).objects.every((key) => key.includes(other.id))).toBe(true);
    await markRemovable(other.id);
    await first.kill();
    await second.maintain();
    expect((await leftovers()).rows).toEqual([]);
    expect((await leftovers()).objects).toEqual([]);
    // Remaining files on a disk are removed when a worker uses it again.
    const again = await newWorker({ folder: first.disk });
    await again.maintain();
    expect(await leftovers(first)).toEqual(NOTHING);
  });

  if (!hasBucket) return;

  it('are in the bucket while the call runs, for a machine that is lost', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const call = newCall();
    const recording = await startAt(first, call, 0);
    recording.talk([0, 4_000], [1_000, 2_000]);
    await eventuallyHas(first, 3_000);
    await first.maintain();
    recording.talk([4_000, 8_000], [3_000, 4_000]);
    await eventuallyHas(first, 7_000);
    await first.maintain();
    await first.kill();
    const { at, seconds, isComplete } = await collected(second, call.id);
    expect([seconds >= 7, isComplete]).toEqual([true, false]);
    expect([at(3_900), at(4_100)]).toEqual([
      [1_000, 2_000],
      [3_000, 4_000],
    ]);
    await recording.stop();
  });

  it('stay on the disk while the bucket is down, and are stored when it is back', async () => {
    const [first, second] = [await newWorker(), await newWorker()];
    const call = newCall();
    const recording = await startAt(first, call, 0);
    recording.talk([0, 3_000], [1_000, 2_000]);
    await server.stop();
    await expect(first.maintain()).rejects.toThrow(RecordingStoreError);
    await recording.stop();
    await first.drain();
    expect((await leftovers(first)).files).toHaveLength(1);
    await server.goOn();
    await first.drain();
    expect((await leftovers(first)).files).toEqual([]);
    const { at, isComplete } = await collected(second, call.id);
    expect([at(2_900), isComplete]).toEqual([[1_000, 2_000], true]);
  });
});
