import { FRAME_MS } from './audio/frame.ts';
import type { MediaClock } from './clock.ts';

/** The ticks of calls are spread over a frame, so that calls don't all send at the same instant. */
const PHASES = 4;
const PHASE_MS = FRAME_MS / PHASES;
/** After a longer delay of the process, ticks are skipped: no jitter buffer accepts such a burst. */
const MAX_LATE_TICKS = 5;

/** The 20 ms rhythm of all media of a process, from one timer. */
export type Ticker = {
  /**
   * Calls `onTick` every 20 ms with the tick's due time, which advances by exactly 20 ms or, after a delay of more
   * than 100 ms, by a multiple of it. Returns the function that unsubscribes.
   */
  subscribe(onTick: (dueMs: number) => void): () => void;
  readonly subscribers: number;
  /** Ticks that were skipped because they were more than 100 ms late. */
  readonly skipped: number;
};

/** The same ticker for one call: `onError` receives what its subscribers throw. */
export function withErrorHandler(ticker: Ticker, onError: (error: unknown) => void): Ticker {
  return {
    subscribe: (onTick) =>
      ticker.subscribe((dueMs) => {
        try {
          onTick(dueMs);
        } catch (error) {
          onError(error);
        }
      }),
    get subscribers() {
      return ticker.subscribers;
    },
    get skipped() {
      return ticker.skipped;
    },
  };
}

/** `onError` receives what a subscriber throws; other subscribers are not affected. */
export function createTicker(clock: MediaClock, onError: (error: unknown) => void): Ticker {
  const phases = Array.from({ length: PHASES }, () => new Set<(dueMs: number) => void>());
  let cancel: (() => void) | undefined;
  let dueMs = 0;
  let phase = 0;
  let skipped = 0;
  const count = (): number => phases.reduce((sum, { size }) => sum + size, 0);

  const arm = (): void => {
    cancel = clock.timer(Math.max(0, dueMs - clock.nowMs()), run);
  };
  const run = (): void => {
    const lateFrames = Math.floor((clock.nowMs() - dueMs) / FRAME_MS);
    if (lateFrames > MAX_LATE_TICKS) {
      skipped += lateFrames * count();
      dueMs += lateFrames * FRAME_MS;
    }
    while (dueMs <= clock.nowMs() && count() > 0) {
      for (const onTick of phases[phase] ?? []) guarded(onTick, dueMs);
      dueMs += PHASE_MS;
      phase = (phase + 1) % PHASES;
    }
    if (count() > 0) arm();
    else cancel = undefined;
  };
  const guarded = (onTick: (dueMs: number) => void, dueAtMs: number): void => {
    try {
      onTick(dueAtMs);
    } catch (error) {
      onError(error);
    }
  };

  return {
    subscribe(onTick) {
      const smallest = phases.reduce((least, set) => (set.size < least.size ? set : least));
      // Wrapped, so that one function may subscribe twice.
      const entry = (due: number): void => onTick(due);
      smallest.add(entry);
      if (!cancel) {
        dueMs = clock.nowMs();
        phase = phases.indexOf(smallest);
        arm();
      }
      return () => {
        smallest.delete(entry);
        if (count() > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
    get subscribers() {
      return count();
    },
    get skipped() {
      return skipped;
    },
  };
}
