import type { AudioFrame, MediaSession, Recorder } from '@parley/media';

/** Of each side: two megabytes on a wideband line. */
const MAX_MS = 30_000;

/** What is said on a call until its recorder is open. */
export type EarlyFrames = {
  /** Hands over everything held, in order; the recorder follows the session itself from now on. */
  replay(to: Recorder): void;
  drop(): void;
};

type Held = { side: 'left' | 'right'; frame: AudioFrame; isPaused: boolean };

/**
 * Holds the frames of a session while its recorder is opened, which takes as long as the database does. The oldest are dropped when that
 * takes more than 30 seconds.
 */
export function holdEarlyFrames(session: MediaSession, isPaused: () => boolean): EarlyFrames {
  let held: Held[] = [];
  const hold = (side: Held['side']) => (frame: AudioFrame) => {
    held.push({ side, frame, isPaused: isPaused() });
    const oldest = held[0]?.frame.atMs ?? 0;
    if (frame.atMs - oldest > MAX_MS) held.shift();
  };
  const ends = [session.onFrame(hold('left')), session.onSent(hold('right'))];
  const drop = (): void => {
    for (const end of ends) end();
    held = [];
  };
  return {
    replay: (to) => {
      for (const { side, frame, isPaused: wasPaused } of held) {
        to.pause(wasPaused);
        to[side](frame);
      }
      drop();
    },
    drop,
  };
}
