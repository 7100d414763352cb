import type { MediaClock } from '@parley/media';

/** Keys of one entry and their times. A trailing `#` is omitted unless it is the only key. */
export type KeyEntry = { keys: string; startedAtMs: number; endedAtMs: number };

export type KeyCollector = {
  press(digit: string): void;
  /** Ends the entry of the keys so far. */
  complete(): void;
  /** Whether an entry has begun and is not complete. */
  readonly isOpen: boolean;
  close(): void;
};

/** More than anything that one enters has: further keys are ignored, so that the entry ends. */
const MAX_KEYS = 200;

/** Collects pressed keys until a pause or `#`. */
export function createKeyEntry(options: {
  clock: MediaClock;
  interDigitMs: number;
  onEntry: (entry: KeyEntry) => void;
}): KeyCollector {
  const { clock, interDigitMs, onEntry } = options;
  let keys = '';
  let startedAtMs = 0;
  let endedAtMs = 0;
  let cancel: (() => void) | undefined;

  const complete = (): void => {
    cancel?.();
    cancel = undefined;
    const entered = keys;
    keys = '';
    if (entered !== '') onEntry({ keys: entered, startedAtMs, endedAtMs });
  };

  return {
    press(digit) {
      if (keys.length >= MAX_KEYS && digit !== '#') return;
      cancel?.();
      endedAtMs = clock.nowMs();
      if (keys === '') startedAtMs = endedAtMs;
      if (digit !== '#' || keys === '') keys += digit;
      if (digit === '#') complete();
      else cancel = clock.timer(interDigitMs, complete);
    },
    complete,
    get isOpen() {
      return keys !== '';
    },
    close() {
      cancel?.();
      keys = '';
    },
  };
}
