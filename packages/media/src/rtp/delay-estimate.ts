/** Width of a bin of the histogram, and how far it reaches. */
const BIN_MS = 5;
const BINS = 100;
/** With 50 packets a second, what arrived four seconds ago weighs a third. */
const FORGET = 0.995;
/** Share of packets that should arrive before they are due. */
const IN_TIME = 0.97;
/** The fastest packet of the last 5 to 10 s counts as undelayed, so that drifting clocks and new routes are followed. */
const WINDOW_MS = 5_000;

/**
 * How late packets of a stream arrive, relative to the fastest of the last seconds. `transitMs` is the arrival in local time minus
 * the timestamp in milliseconds: only differences of it matter.
 */
export type DelayEstimate = {
  record(transitMs: number, nowMs: number): void;
  /** Transit of an undelayed packet. */
  readonly baseMs: number;
  /** Delay within which 97 % of packets arrived recently, in milliseconds. */
  readonly spreadMs: number;
};

export function createDelayEstimate(): DelayEstimate {
  const bins = new Float64Array(BINS);
  let total = 0;
  let current = Number.POSITIVE_INFINITY;
  let previous = Number.POSITIVE_INFINITY;
  let windowEndsMs = Number.NEGATIVE_INFINITY;
  let spreadMs = 0;
  const base = (): number => Math.min(current, previous);

  return {
    record(transitMs, nowMs) {
      if (nowMs >= windowEndsMs) {
        previous = nowMs - windowEndsMs > WINDOW_MS ? Number.POSITIVE_INFINITY : current;
        current = Number.POSITIVE_INFINITY;
        windowEndsMs = nowMs + WINDOW_MS;
      }
      current = Math.min(current, transitMs);
      const bin = Math.min(BINS - 1, Math.floor((transitMs - base()) / BIN_MS));
      for (let i = 0; i < BINS; i += 1) bins[i] = (bins[i] ?? 0) * FORGET;
      bins[bin] = (bins[bin] ?? 0) + 1;
      total = total * FORGET + 1;
      let sum = 0;
      let i = 0;
      while (i < BINS && sum + (bins[i] ?? 0) < IN_TIME * total) {
        sum += bins[i] ?? 0;
        i += 1;
      }
      spreadMs = i * BIN_MS;
    },
    get baseMs() {
      return base();
    },
    get spreadMs() {
      return spreadMs;
    },
  };
}
