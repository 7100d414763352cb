import assert from 'node:assert/strict';
import { type AudioFrame, concatenate } from '../audio/frame.ts';
import type { MediaSession } from '../session/media-session.ts';
import { audibleMs, shareOf } from './signals.ts';

/** A session under test and the other end of its line. */
export type MediaSetup = {
  session: MediaSession;
  /** The far end: an independent client of the protocol where there is one. */
  far: {
    sampleRate: number;
    /** Starts to send this audio. */
    speak(samples: Int16Array): void;
    /** All audio that arrived there so far, without gaps. */
    heard(): Int16Array;
    press(digits: string): void;
    /** All keys that arrived there so far. */
    pressed(): string;
  };
  /** Lets time pass, on the real or an injected clock. */
  pass(ms: number): Promise<void>;
  close(): void | Promise<void>;
};

export type ContractCase = { name: string; run(open: () => Promise<MediaSetup>): Promise<void> };

/** Time for audio to cross the line, its jitter buffers included, on a machine that is busy. */
export const CROSSING_MS = 400;
export const PITCH_HZ = 500;
export const OTHER_PITCH_HZ = 1_100;

export function contractCase(name: string, check: (setup: MediaSetup) => Promise<void>): ContractCase {
  return {
    name,
    async run(open) {
      const setup = await open();
      try {
        await check(setup);
      } finally {
        await setup.close();
      }
    },
  };
}

export function collect(session: MediaSession): AudioFrame[] {
  const frames: AudioFrame[] = [];
  session.onFrame((frame) => frames.push(frame));
  return frames;
}

export function collectSent(session: MediaSession): AudioFrame[] {
  const frames: AudioFrame[] = [];
  session.onSent((frame) => frames.push(frame));
  return frames;
}

export function samplesOf(frames: readonly AudioFrame[]): Int16Array {
  return concatenate(frames.map(({ samples }) => samples));
}

/** Milliseconds sent before the first audible frame. */
export function silentBefore(sent: readonly AudioFrame[]): number {
  return sent.findIndex(({ source }) => source === 'audio') * 20;
}

export function assertHeard(samples: Int16Array, sampleRate: number, hz: number, ms: number): void {
  const heardMs = audibleMs(samples, sampleRate);
  assert.ok(Math.abs(heardMs - ms) <= 120, `${heardMs} of ${ms} ms heard`);
  const middle = audiblePart(samples, sampleRate);
  const share = shareOf(hz, middle.subarray(sampleRate / 20, sampleRate / 4), sampleRate);
  assert.ok(share > 0.8, `${share} of the energy at ${hz} Hz`);
}

export function audiblePart(samples: Int16Array, sampleRate: number): Int16Array {
  const isLoud = (sample: number): boolean => Math.abs(sample) > 500;
  const first = samples.findIndex(isLoud);
  const last = samples.findLastIndex(isLoud);
  assert.ok(first >= 0, 'nothing was heard');
  return samples.subarray(first, Math.max(last + 1, first + sampleRate / 50));
}

export function halvesOf(samples: Int16Array): [Int16Array, Int16Array] {
  const half = Math.floor(samples.length / 2);
  return [samples.subarray(0, half), samples.subarray(half)];
}
