import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { createLogger } from '@parley/kit/log';
import type { AudioFrame, MediaSession } from '@parley/media';
import { readWav } from '@parley/media/testing';
import { dialingCall } from '../../../../tests/session-parts.ts';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createEarlyFrames } from './early-frames.ts';
import { createLiveRecordings } from './live-recordings.ts';

const RATE = 8_000;

type Listener = (frame: AudioFrame) => void;

/** A session with frames of both sides when the test says so. */
function doubleSession() {
  const listeners: [Listener[], Listener[]] = [[], []];
  const on = (side: 0 | 1) => (listener: Listener) => {
    listeners[side].push(listener);
    return () => listeners[side].splice(listeners[side].indexOf(listener), 1);
  };
  const session = { sampleRate: RATE, onFrame: on(0), onSent: on(1) } as unknown as MediaSession;
  const answeredAtMs = mediaClock.nowMs();
  const talk = (fromMs: number, toMs: number, levels: readonly [number, number]): void => {
    for (let atMs = fromMs; atMs < toMs; atMs += 20)
      for (const side of [0, 1] as const) {
        const samples = new Int16Array(RATE / 50).fill(levels[side]);
        const frame: AudioFrame = { samples, sampleRate: RATE, atMs: answeredAtMs + atMs, source: 'audio' };
        for (const listener of [...listeners[side]]) listener(frame);
      }
  };
  return { session, talk, listeners };
}

describe('what is said while a recorder is opened [calls.19]', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'early-frames-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A worker whose recorders are opened when the test says so. */
  const newWorker = (options: { maxEarlyBytes?: number } = {}) => {
    const begun = createDeferred<number>();
    const lost: number[] = [];
    const live = createLiveRecordings({
      ...options,
      workerId: 'w',
      segments: { ofCall: async () => [], begin: () => begun.promise } as never,
      files: { prepare: async (id: string) => join(folder, id) } as never,
      maxSeconds: 60,
      share: { isUsedUp: () => false, isLimited: false } as never,
      onLost: (ms) => lost.push(ms),
      log: createLogger({ service: 'test', level: 'silent' }),
    });
    return { live, lost, open: () => begun.resolve(RATE), fail: begun.reject };
  };
  const { signal } = new AbortController();
  /** Levels of both channels. */
  const read = async (times: readonly number[]) => {
    const names = await readdir(folder);
    const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
    for (const name of names) await rm(join(folder, name));
    return files.map((bytes) => {
      const { channels } = readWav(bytes);
      return times.map((ms) => channels.map((samples) => samples[(ms * RATE) / 1_000]));
    });
  };

  it('is in the recording, except what was said during a pause [calls.28]', async () => {
    const { live, lost, open } = newWorker();
    const { session, talk, listeners } = doubleSession();
    let isPaused = false;
    const opening = live.start(dialingCall, session, { sinceAnswerMs: 0, isPaused: () => isPaused, signal });
    talk(0, 5_000, [11, 22]);
    isPaused = true;
    talk(5_000, 6_000, [33, 44]);
    isPaused = false;
    open();
    const recording = await opening;
    talk(6_000, 7_000, [55, 66]);
    await recording.stop();
    expect(await read([500, 4_500, 5_500, 6_500])).toEqual([
      [
        [11, 22],
        [11, 22],
        [0, 0],
        [55, 66],
      ],
    ]);
    expect([listeners, lost]).toEqual([[[], []], []]);
  });

  it('is held for all calls of a worker up to a limit, beyond which it is silence, and counted', async () => {
    // A second of both sides, with 256 bytes for each frame.
    const { live, lost, open } = newWorker({ maxEarlyBytes: 100 * (320 + 256) });
    const options = { sinceAnswerMs: 0, isPaused: () => false, signal };
    const [first, second] = [doubleSession(), doubleSession()];
    const openings = [first, second].map(({ session }) => live.start(dialingCall, session, options));
    first.talk(0, 600, [11, 22]);
    second.talk(0, 600, [33, 44]);
    open();
    const recordings = await Promise.all(openings);
    first.talk(600, 1_000, [55, 66]);
    second.talk(600, 1_000, [77, 88]);
    for (const { stop } of recordings) await stop();
    const [a, b] = (await read([100, 500, 700])).sort(([[x = 0] = []] = [], [[y = 0] = []] = []) => x - y);
    expect(a).toEqual([
      [11, 22],
      [11, 22],
      [55, 66],
    ]);
    expect(b).toEqual([
      [33, 44],
      [0, 0],
      [77, 88],
    ]);
    expect(lost).toEqual([200]);
  });

  it('is reported as missing if the recorder cannot be opened before the worker leaves, except pauses', async () => {
    const { live, lost, fail } = newWorker();
    const leaving = new AbortController();
    const { session, talk } = doubleSession();
    let isPaused = false;
    const start = { sinceAnswerMs: 0, isPaused: () => isPaused, signal: leaving.signal };
    const opening = live.start(dialingCall, session, start);
    talk(0, 600, [11, 22]);
    isPaused = true;
    talk(600, 1_000, [11, 22]);
    leaving.abort();
    fail(new Error('The database is down'));
    await opening;
    expect(lost).toEqual([600]);
  });

  it('is released with its recorder: another call has all of the limit again', () => {
    const hold = createEarlyFrames(100 * (320 + 256));
    for (let n = 0; n < 3; n += 1) {
      const { session, talk } = doubleSession();
      const early = hold(session, () => false);
      talk(0, 1_000, [1, 1]);
      expect(early.lostMs).toBe(0);
      talk(1_000, 1_100, [1, 1]);
      expect(early.lostMs).toBe(100);
      early.drop();
      expect(early.lostMs).toBe(1_100);
    }
  });

  it('is lost if it was said more than 30 seconds before the recorder is open', () => {
    const { session, talk } = doubleSession();
    const early = createEarlyFrames()(session, () => false);
    talk(0, 40_000, [1, 1]);
    const heard: number[] = [];
    const note = ({ atMs }: AudioFrame) => void heard.push(atMs);
    early.replay({ left: note, right: note, pause: () => {}, close: async () => ({ durationMs: 0 }) });
    expect((heard.at(-1) ?? 0) - (heard[0] ?? 0)).toBe(30_000);
    expect(early.lostMs).toBeGreaterThan(9_950);
  });
});
