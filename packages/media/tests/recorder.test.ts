import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createMuLawCodec } from '../src/audio/codec.ts';
import { type AudioFrame, FRAME_MS } from '../src/audio/frame.ts';
import {
  createMediaSession,
  createMemoryNetwork,
  createRecorder,
  createRtpLine,
  createTicker,
  recordSession,
  repairRecording,
} from '../src/index.ts';
import { createManualClock, createRandom, readWav, shareOf, tone } from '../src/testing/index.ts';
import { temporaryFolder } from './folder.ts';
import { readStereo } from './stereo.ts';
import { hzOf } from './tone-of.ts';

const RATE = 8_000;
const HEADER_BYTES = 44;
const DRIFT = 0.999;
const NETWORK_DELAY_MS = 30;
const folder = temporaryFolder();

describe('createRecorder', () => {
  it('aligns both channels on one time line, for any rate and order of frames', async () => {
    const path = join(folder, 'time-line.wav');
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 1_000, onError: fail });
    for (let n = 0; n < 100; n += 1) {
      recorder.right(frame(n === 50 ? 10_000 : 0, 1_000 + n * 20));
      // The human's frames come 100 ms later, at another rate.
      if (n >= 5) recorder.left(frame(n - 5 === 50 ? 10_000 : 0, 1_000 + (n - 5) * 20, 16_000));
    }
    expect(await recorder.close()).toEqual({ durationMs: 2_000 });
    // Nobody else of the machine may listen to it.
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { left, right } = readStereo(path);
    expect(onsets(right)).toEqual([1_000]);
    expect(Math.abs((onsets(left)[0] ?? 0) - 1_000)).toBeLessThanOrEqual(3);
  });

  it('keeps the channels within 40 ms on a jittering network, with drift as of ten minutes at 200 ppm', async () => {
    const path = join(folder, 'drift.wav');
    const { recorder, run } = await driftingCall(path);
    // Both sides click at the same instants.
    await run(120_000);
    await recorder.close();
    const { left, right } = readStereo(path);
    const [human, assistant] = [onsets(left), onsets(right)];
    expect(assistant.length).toBeGreaterThanOrEqual(10);
    const distances = assistant.map((at) =>
      Math.min(...human.map((other) => Math.abs(other - at - NETWORK_DELAY_MS))),
    );
    expect(Math.max(...distances)).toBeLessThanOrEqual(40);
  });

  it('records nothing beyond the maximum', async () => {
    const path = join(folder, 'maximum.wav');
    const recorder = await createRecorder({
      path,
      sampleRate: RATE,
      startedAtMs: 0,
      maxDurationMs: 3_000,
      onError: fail,
    });
    for (let n = 0; n < 200; n += 1) recorder.right(frame(5_000, n * 20));
    expect(await recorder.close()).toEqual({ durationMs: 3_000 });
    const { right } = readStereo(path);
    expect(right.every((sample) => sample === 5_000)).toBe(true);
    expect(right).toHaveLength(3 * RATE);
  });

  it.each([RATE, 16_000])('records silence while it is paused, from frames of %s Hz', async (rate) => {
    const path = join(folder, `paused-${rate}.wav`);
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 1_000, onError: fail });
    for (let n = 0; n < 200; n += 1) {
      recorder.pause(n >= 50 && n < 150);
      const level = n >= 50 && n < 150 ? 7_000 : 5_000;
      recorder.left(frame(level, 1_000 + n * 20, rate));
      recorder.right(frame(level, 1_000 + n * 20, rate));
    }
    expect(await recorder.close()).toEqual({ durationMs: 4_000 });
    const { left, right } = readStereo(path);
    for (const channel of [left, right]) {
      const within = (fromMs: number, toMs: number) => channel.subarray(fromMs * 8, toMs * 8);
      // The filters of the resampler need a few milliseconds.
      expect(within(20, 980).every((sample) => Math.abs(sample - 5_000) < 50)).toBe(true);
      expect(within(1_020, 2_980).every((sample) => sample === 0)).toBe(true);
      expect(within(3_020, 3_980).every((sample) => Math.abs(sample - 5_000) < 50)).toBe(true);
    }
  });

  it('ends a recording in its pause, at the time of the last frame', async () => {
    const path = join(folder, 'paused-end.wav');
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 0, onError: fail });
    for (let n = 0; n < 100; n += 1) {
      if (n === 50) recorder.pause(true);
      recorder.left(frame(5_000, n * 20));
    }
    expect(await recorder.close()).toEqual({ durationMs: 2_000 });
    expect(
      readStereo(path)
        .left.subarray(RATE)
        .every((sample) => sample === 0),
    ).toBe(true);
  });

  it('has all but the last 800 ms in its file at any time, without waiting for more audio', async () => {
    const path = join(folder, 'unwritten.wav');
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 0, onError: fail });
    for (let recordedMs = FRAME_MS; recordedMs <= 5_000; recordedMs += FRAME_MS) {
      recorder.left(frame(5_000, recordedMs - FRAME_MS));
      recorder.right(frame(5_000, recordedMs - FRAME_MS));
      await sizeReached(path, recordedMs, 800);
      const writtenMs = (statSync(path).size - HEADER_BYTES) / (4 * (RATE / 1_000));
      expect(recordedMs - writtenMs).toBeLessThanOrEqual(800);
    }
    await recorder.close();
  });

  it('loses at most a second when its process is killed, and is continued', async () => {
    const path = join(folder, 'killed.wav');
    const { recordedMs, unwrittenMs } = await recordUntilKilled(path);
    // It could have been killed at any other moment. The process may be slow to write: what is due exactly is tested above.
    expect(unwrittenMs).toBeLessThanOrEqual(1_000);
    const copy = join(folder, 'killed-copy.wav');
    copyFileSync(path, copy);
    const repaired = await repairRecording(copy);
    const { sampleRate, channels, durationMs } = readWav(readFileSync(copy));
    expect(repaired).toEqual({ sampleRate: RATE, channels: 2, durationMs });
    expect(sampleRate).toBe(RATE);
    expect(recordedMs - durationMs).toBeLessThanOrEqual(1_000);
    // The frame whose dot was not written any more.
    expect(durationMs).toBeLessThanOrEqual(recordedMs + FRAME_MS);
    expectTones(channels, durationMs);

    const resumedAtMs = recordedMs + 2_000;
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 0, onError: fail });
    for (let n = 0; n < 50; n += 1) recorder.right(frame(7_000, resumedAtMs + n * 20));
    await recorder.close();
    const continued = readWav(readFileSync(path));
    expect(continued.durationMs).toBe(resumedAtMs + 1_000);
    expectTones(continued.channels, durationMs);
    const [left, right] = continued.channels;
    const [lost, resumed] = [durationMs * 8, resumedAtMs * 8];
    expect(
      [left, right].every((samples) => samples?.subarray(lost, resumed).every((sample) => sample === 0)),
    ).toBe(true);
    expect(left?.subarray(resumed).every((sample) => sample === 0)).toBe(true);
    expect(right?.subarray(resumed).every((sample) => sample === 7_000)).toBe(true);
  });

  it('continues after a gap of ten minutes: silence that is not written', async () => {
    const path = join(folder, 'gap.wav');
    const rate = 16_000;
    const recorder = await createRecorder({ path, sampleRate: rate, startedAtMs: 0, onError: fail });
    for (let n = 0; n < 50; n += 1) recorder.left(frame(5_000, n * 20, rate));
    for (let n = 0; n < 50; n += 1) recorder.left(frame(7_000, 600_000 + n * 20, rate));
    expect(await recorder.close()).toEqual({ durationMs: 601_000 });
    const { left } = readStereo(path);
    const [gap, resumed] = [rate, 600 * rate];
    expect(left.subarray(0, gap).every((sample) => sample === 5_000)).toBe(true);
    expect(left.subarray(gap, resumed).every((sample) => sample === 0)).toBe(true);
    expect(left.subarray(resumed).every((sample) => sample === 7_000)).toBe(true);
    expect(left).toHaveLength(601 * rate);
  });

  it('begins a file in the middle of the time line, without what came before', async () => {
    const path = join(folder, 'second.wav');
    const recorder = await createRecorder({
      path,
      sampleRate: RATE,
      startedAtMs: 1_000,
      fromMs: 2_010,
      maxDurationMs: 3_500,
      onError: fail,
    });
    for (let n = 0; n < 200; n += 1) recorder.left(frame(n < 100 ? 1_000 : 7_000, 1_000 + n * 20));
    expect(await recorder.close()).toEqual({ durationMs: 1_490 });
    const { left } = readStereo(path);
    expect(left).toHaveLength(1.49 * RATE);
    expect(left.every((sample) => sample === 7_000)).toBe(true);
  });

  it('repairs an incomplete sample, does not change a complete file, and refuses others', async () => {
    const path = join(folder, 'half.wav');
    const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 0, onError: fail });
    for (let n = 0; n < 50; n += 1) recorder.left(frame(100, n * 20));
    await recorder.close();
    const complete = readFileSync(path);
    await repairRecording(path);
    expect(readFileSync(path).equals(complete)).toBe(true);
    appendFileSync(path, 'xyz');
    expect(await repairRecording(path)).toEqual({ sampleRate: RATE, channels: 2, durationMs: 1_000 });
    expect(readFileSync(path).equals(complete)).toBe(true);
    writeFileSync(path, 'something else');
    await expect(repairRecording(path)).rejects.toThrow('Not a recording');
    await expect(createRecorder({ path, sampleRate: RATE, startedAtMs: 0, onError: fail })).rejects.toThrow(
      'Not a recording',
    );
  });
});

function fail(error: unknown): void {
  throw error;
}

function frame(level: number, atMs: number, sampleRate = RATE): AudioFrame {
  return { samples: new Int16Array(sampleRate / 50).fill(level), sampleRate, atMs, source: 'audio' };
}

/** Milliseconds at which loud parts begin. */
function onsets(samples: Int16Array): number[] {
  const found: number[] = [];
  let quietSince = -RATE;
  samples.forEach((sample, at) => {
    if (Math.abs(sample) < 4_000) return;
    if (at - quietSince > RATE) found.push((at * 1_000) / RATE);
    quietSince = at;
  });
  return found;
}

/** A call whose far end has a clock that is slow; both sides click every ten seconds of the near clock. */
async function driftingCall(path: string): Promise<{
  recorder: Awaited<ReturnType<typeof createRecorder>>;
  run(ms: number): Promise<void>;
}> {
  const clock = createManualClock(1_000_000);
  const random = createRandom(5);
  const slow = {
    nowMs: () => clock.nowMs() * DRIFT,
    timer: (ms: number, fn: () => void) => clock.timer(ms / DRIFT, fn),
  };
  const network = createMemoryNetwork({ clock, random });
  const [near, far] = network.ends;
  const sessionOf = (transport: typeof near, remote: typeof far, time: typeof slow) =>
    createMediaSession(
      createRtpLine({
        transport,
        codec: createMuLawCodec(),
        payloadType: 0,
        remote: remote.address,
        cname: 'x',
        nowMs: time.nowMs,
        random,
      }),
      createTicker(time, fail),
    );
  const [session, human] = [sessionOf(near, far, clock), sessionOf(far, near, slow)];
  const recorder = await createRecorder({ path, sampleRate: RATE, startedAtMs: 1_000_000, onError: fail });
  recordSession(recorder, session);
  const click = tone(400, 60, RATE, 20_000);
  return {
    recorder,
    async run(ms) {
      for (let passed = 0; passed < ms; passed += 10_000) {
        // The delay of the jitter buffer grows and shrinks.
        const jitterMs = passed % 40_000 < 20_000 ? 25 : 120;
        network.setConditions({ delayMs: NETWORK_DELAY_MS, jitterMs, loss: 0.01 });
        clock.advance(10_000);
        await sizeReached(path, passed + 10_000);
        for (const side of [session, human]) {
          const playback = side.play();
          playback.write(click, RATE);
          playback.end();
        }
      }
    },
  };
}

/** How much a process had recorded when it was killed, between the third and the sixth second, and how much of it at most was not in the file until then. */
async function recordUntilKilled(path: string): Promise<{ recordedMs: number; unwrittenMs: number }> {
  const child = fork(join(import.meta.dirname, 'record-tones.ts'), [path, String(RATE)], {
    execArgv: ['--import', 'tsx', '--conditions=source'],
    silent: true,
  });
  const killAt = 150 + Math.floor(150 * Math.random());
  let frames = 0;
  let unwrittenMs = 0;
  child.stdout?.on('data', (dots: Buffer) => {
    frames += dots.length;
    const writtenMs = (statSync(path).size - HEADER_BYTES) / (4 * (RATE / 1_000));
    unwrittenMs = Math.max(unwrittenMs, frames * FRAME_MS - writtenMs);
    if (frames >= killAt) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return { recordedMs: frames * FRAME_MS, unwrittenMs };
}

/** Each channel has the tone of each second, and nothing else. */
function expectTones(channels: readonly Int16Array[], untilMs: number): void {
  for (const [channel, side] of (['left', 'right'] as const).entries())
    for (let second = 0; second * 1_000 < untilMs; second += 1) {
      const part = channels[channel]?.subarray(second * RATE, Math.min((second + 1) * RATE, untilMs * 8));
      expect(shareOf(hzOf(side, second), part ?? new Int16Array(), RATE)).toBeGreaterThan(0.99);
    }
}

/** Waits until all but the last part is on disk, but not for ever. */
async function sizeReached(path: string, recordedMs: number, unwrittenMs = 1_000): Promise<void> {
  const least = HEADER_BYTES + (recordedMs - unwrittenMs) * 4 * (RATE / 1_000);
  for (let n = 0; n < 2_000 && statSync(path).size < least; n += 1) await sleep(5);
}
