import { FRAME_MS, samplesIn } from '../audio/frame.ts';
import { createResampler } from '../audio/resample.ts';
import type { AudioLine, MediaStats } from './line.ts';

/** A line whose far end can reconnect: the session stays while the line below it is replaced. */
export type SwitchLine = AudioLine & {
  /** Replaces the connected line, which is owned from now on, and closes the previous one; undefined: disconnects. */
  connect(line: AudioLine | undefined): void;
  readonly isConnected: boolean;
};

const NOTHING: MediaStats = {
  packetsSent: 0,
  packetsReceived: 0,
  packetsLost: 0,
  packetsLate: 0,
  packetsRejected: 0,
  jitterMs: 0,
  roundTripMs: undefined,
  remoteLoss: undefined,
  bufferMs: 0,
  concealedMs: 0,
  lastReceivedAtMs: undefined,
};

/** Silence while no line is connected. Lines of another rate are resampled. `stats` are those of the connected line. */
export function createSwitchLine(sampleRate: number): SwitchLine {
  const frameSamples = samplesIn(FRAME_MS, sampleRate);
  let onDigit: (digit: string) => void = () => undefined;
  let current: AudioLine | undefined;
  let hear = createResampler(sampleRate, sampleRate);
  let speak = hear;
  let lastReceivedAtMs: number | undefined;

  return {
    sampleRate,
    get isConnected() {
      return current !== undefined;
    },
    connect(line) {
      lastReceivedAtMs = current?.stats().lastReceivedAtMs ?? lastReceivedAtMs;
      current?.close();
      current = line;
      if (!line) return;
      hear = createResampler(line.sampleRate, sampleRate);
      speak = createResampler(sampleRate, line.sampleRate);
      line.onDigit((digit) => onDigit(digit));
    },
    receive(nowMs) {
      if (!current) return { samples: new Int16Array(frameSamples), atMs: nowMs, source: 'silence' };
      const heard = current.receive(nowMs);
      return { ...heard, samples: hear.process(heard.samples) };
    },
    send(samples, nowMs) {
      current?.send(speak.process(samples), nowMs);
    },
    sendDigit(digit, durationMs) {
      if (!current) throw new Error('The far end is not connected');
      current.sendDigit(digit, durationMs);
    },
    onDigit(listener) {
      onDigit = listener;
    },
    flush: () => current?.flush?.(),
    stats() {
      const stats = current?.stats() ?? NOTHING;
      return { ...stats, lastReceivedAtMs: stats.lastReceivedAtMs ?? lastReceivedAtMs };
    },
    close() {
      current?.close();
      current = undefined;
    },
  };
}
