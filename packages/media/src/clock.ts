/** Time, injected: nothing in this package reads a clock of its own. */
export type MediaClock = {
  /** Milliseconds since the Unix epoch with fractions, never going back. */
  nowMs(): number;
  /** Calls `fn` once, `delayMs` from now or a little later; returns a function that cancels it. */
  timer(delayMs: number, fn: () => void): () => void;
};
