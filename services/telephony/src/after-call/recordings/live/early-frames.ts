import type { AudioFrame, MediaSession, Recorder } from '@parley/media';

/** Of each call. */
const MAX_MS = 30_000;
/** Of all calls of a worker: about 30 seconds of 40 calls on telephone lines. */
const MAX_BYTES = 64 * 1_024 * 1_024;
/** Memory of a frame besides its samples. */
const OVERHEAD_BYTES = 256;

/** What is said on a call until its recorder is open. */
type EarlyFrames = {
  /** Hands over everything held, in order; the caller then attaches the recorder to the session. */
  replay(to: Recorder): void;
  drop(): void;
  /** Milliseconds lost so far, counted once for both sides and without pauses: silence in the recording. */
  readonly lostMs: number;
};

/** Starts to hold the frames of a session. */
export type HoldEarlyFrames = (session: MediaSession, isPaused: () => boolean) => EarlyFrames;

type Held = { side: 'left' | 'right'; frame: AudioFrame; isPaused: boolean };

/** Both sides always deliver frames, so each counts half. */
const lengthOf = ({ frame: { samples, sampleRate }, isPaused }: Held): number =>
  isPaused ? 0 : (samples.length * 1_000) / sampleRate / 2;

const bytesOf = ({ frame }: Held): number => frame.samples.byteLength + OVERHEAD_BYTES;

/**
 * Holds the frames of the calls of a worker while their recorders are opened, which takes as long as the database does. When that takes more
 * than 30 seconds, the oldest of the call are lost; when all calls hold `maxBytes`, the newest.
 */
export function createEarlyFrames(maxBytes = MAX_BYTES): HoldEarlyFrames {
  let totalBytes = 0;
  return (session, isPaused) => {
    let held: Held[] = [];
    let lostMs = 0;
    const hold = (side: Held['side']) => (frame: AudioFrame) => {
      const [oldest] = held;
      if (oldest && frame.atMs - oldest.frame.atMs > MAX_MS) {
        held.shift();
        totalBytes -= bytesOf(oldest);
        lostMs += lengthOf(oldest);
      }
      const next = { side, frame, isPaused: isPaused() };
      if (totalBytes + bytesOf(next) > maxBytes) {
        lostMs += lengthOf(next);
        return;
      }
      held.push(next);
      totalBytes += bytesOf(next);
    };
    const ends = [session.onFrame(hold('left')), session.onSent(hold('right'))];
    const release = (): void => {
      for (const end of ends) end();
      for (const each of held) totalBytes -= bytesOf(each);
      held = [];
    };
    return {
      replay: (to) => {
        for (const { side, frame, isPaused: wasPaused } of held) {
          to.pause(wasPaused);
          to[side](frame);
        }
        release();
      },
      drop: () => {
        for (const each of held) lostMs += lengthOf(each);
        release();
      },
      get lostMs() {
        return lostMs;
      },
    };
  };
}
