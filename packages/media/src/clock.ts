/** The injected clock; nothing in this package reads the system's clock. */
export type MediaClock = {
  /** Milliseconds since the Unix epoch with fractions, never going back. */
  nowMs(): number;
  /** Calls `fn` once, no earlier than `delayMs` from now. Returns the function that cancels it. */
  timer(delayMs: number, fn: () => void): () => void;
};
