import type { MediaClock } from '../clock.ts';

/** A clock that a test moves. */
export type ManualClock = MediaClock & {
  /** Moves time on and calls due timers in order, each at its own time. */
  advance(ms: number): void;
};

export function createManualClock(startMs = 0): ManualClock {
  const timers: { atMs: number; fn: () => void }[] = [];
  let now = startMs;
  return {
    nowMs: () => now,
    timer(delayMs, fn) {
      const entry = { atMs: now + Math.max(0, delayMs), fn };
      let index = timers.length;
      while (index > 0 && (timers[index - 1]?.atMs ?? 0) > entry.atMs) index -= 1;
      timers.splice(index, 0, entry);
      return () => {
        const at = timers.indexOf(entry);
        if (at >= 0) timers.splice(at, 1);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (let next = timers[0]; next && next.atMs <= until; next = timers[0]) {
        timers.shift();
        now = next.atMs;
        next.fn();
      }
      now = until;
    },
  };
}
