import { FRAME_MS, msOf, samplesIn } from '../audio/frame.ts';
import { createSampleQueue } from '../audio/sample-queue.ts';
import type { AudioLine } from './line.ts';

/** A leg over a stream of PCM that loses nothing, such as a WebSocket. */
export type PcmLine = AudioLine & {
  /** Audio of the far end: 16-bit little-endian mono PCM at the line's rate, of any length. An odd last byte is ignored. */
  push(bytes: Uint8Array): void;
};

export type PcmLineOptions = {
  sampleRate: number;
  /** Sends 20 ms of audio; returns false if the far end does not read, and the frame was dropped. */
  send: (bytes: Uint8Array) => boolean;
  nowMs: () => number;
  onClose: () => void;
};

/** Audio buffered before playout starts, and again after a gap, since messages arrive in bursts. */
const TARGET_MS = 60;
/** A stalled stream arrives in a burst: beyond this the oldest audio is dropped. */
const MAX_MS = 400;

export function createPcmLine({ sampleRate, send, nowMs, onClose }: PcmLineOptions): PcmLine {
  const queue = createSampleQueue();
  const frameSamples = samplesIn(FRAME_MS, sampleRate);
  const targetSamples = samplesIn(TARGET_MS, sampleRate);
  const maxSamples = samplesIn(MAX_MS, sampleRate);
  let isFlowing = false;
  let capturedAtMs = Number.NEGATIVE_INFINITY;
  let packetsSent = 0;
  let packetsReceived = 0;
  let packetsLate = 0;
  let lastReceivedAtMs: number | undefined;

  return {
    sampleRate,
    push(bytes) {
      packetsReceived += 1;
      lastReceivedAtMs = nowMs();
      queue.push(samplesOf(bytes));
      if (queue.length <= maxSamples) return;
      packetsLate += 1;
      queue.shift(queue.length - targetSamples);
    },
    receive(atMs) {
      if (queue.length >= targetSamples) isFlowing = true;
      if (queue.length < frameSamples) isFlowing = false;
      const waitedMs = isFlowing ? msOf(queue.length, sampleRate) : TARGET_MS;
      // A burst after a gap was captured while silence was played instead: its frames follow that silence one by one, as a recording needs.
      capturedAtMs = Math.max(capturedAtMs + FRAME_MS, atMs - waitedMs);
      if (!isFlowing) return { samples: new Int16Array(frameSamples), atMs: capturedAtMs, source: 'silence' };
      return { samples: queue.shift(frameSamples), atMs: capturedAtMs, source: 'audio' };
    },
    send(samples) {
      if (send(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))) packetsSent += 1;
    },
    sendDigit() {
      throw new Error('The far end does not support DTMF');
    },
    onDigit: () => undefined,
    stats: () => ({
      packetsSent,
      packetsReceived,
      packetsLost: 0,
      packetsLate,
      packetsRejected: 0,
      jitterMs: 0,
      roundTripMs: undefined,
      remoteLoss: undefined,
      bufferMs: msOf(queue.length, sampleRate),
      concealedMs: 0,
      lastReceivedAtMs,
    }),
    close: onClose,
  };
}

function samplesOf(bytes: Uint8Array): Int16Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int16Array.from({ length: Math.floor(bytes.byteLength / 2) }, (_, n) => view.getInt16(2 * n, true));
}
