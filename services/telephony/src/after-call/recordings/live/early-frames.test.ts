import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createDeferred } from '@parley/kit/concurrency';
import { createLogger } from '@parley/kit/log';
import type { AudioFrame, MediaSession } from '@parley/media';
import { readWav } from '@parley/media/testing';
import { dialingCall } from '../../../../tests/session-parts.ts';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createLiveRecordings } from './live-recordings.ts';

const RATE = 8_000;

it('a recording has what was said while it was opened, except what was said during a pause [calls.19] [calls.28]', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'early-frames-'));
  const path = join(folder, 'a.wav');
  const begun = createDeferred<number>();
  const live = createLiveRecordings({
    workerId: 'w',
    segments: { ofCall: async () => [], begin: () => begun.promise } as never,
    files: { prepare: async () => path } as never,
    maxSeconds: 60,
    share: { isUsedUp: () => false, isLimited: false } as never,
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const listeners: ((frame: AudioFrame) => void)[][] = [[], []];
  const on = (side: number) => (listener: (frame: AudioFrame) => void) => {
    listeners[side]?.push(listener);
    return () => listeners[side]?.splice(listeners[side].indexOf(listener), 1);
  };
  const session = { sampleRate: RATE, onFrame: on(0), onSent: on(1) } as unknown as MediaSession;
  const answeredAtMs = mediaClock.nowMs();
  const talk = (fromMs: number, toMs: number, levels: readonly [number, number]): void => {
    for (let atMs = fromMs; atMs < toMs; atMs += 20)
      for (const [side, level] of levels.entries()) {
        const samples = new Int16Array(RATE / 50).fill(level);
        const frame: AudioFrame = { samples, sampleRate: RATE, atMs: answeredAtMs + atMs, source: 'audio' };
        for (const listener of [...(listeners[side] ?? [])]) listener(frame);
      }
  };

  let isPaused = false;
  const { signal } = new AbortController();
  const opening = live.start(dialingCall, session, { sinceAnswerMs: 0, isPaused: () => isPaused, signal });
  talk(0, 5_000, [11, 22]);
  isPaused = true;
  talk(5_000, 6_000, [33, 44]);
  isPaused = false;
  begun.resolve(RATE);
  const recording = await opening;
  talk(6_000, 7_000, [55, 66]);
  await recording.stop();

  const { channels } = readWav(await readFile(path));
  const at = (ms: number) => channels.map((samples) => samples[(ms * RATE) / 1_000]);
  expect([500, 4_500, 5_500, 6_500].map(at)).toEqual([
    [11, 22],
    [11, 22],
    [0, 0],
    [55, 66],
  ]);
  expect(listeners).toEqual([[], []]);
  await rm(folder, { recursive: true });
});
