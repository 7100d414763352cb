/** Width of a bin of the histogram, and how far it reaches. */
const BIN_MS = 5;
const BINS = 100;
/** With 50 packets a second, arrivals of two seconds ago have a third of the weight. */
const FORGET = 0.99;
/** Target share of packets that arrive before they are due. */
const IN_TIME = 0.97;
/** The fastest packet of the last 5 to 10 s counts as undelayed, so that drifting clocks and new routes are followed. */
const WINDOW_MS = 5_000;

/**
 * How late packets of a stream arrive, relative to the fastest packet of the last seconds. `transitMs` is the local arrival time minus
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
  let bins = new Float64Array(BINS);
  let total = 0;
  let current = Number.POSITIVE_INFINITY;
  let previous = Number.POSITIVE_INFINITY;
  let windowEndsMs = Number.NEGATIVE_INFINITY;
  let spreadMs = 0;
  const base = (): number => Math.min(current, previous);
  /** Rebases the delays after a change of the base. After a fall, old delays say nothing about the faster network and are dropped. */
  const rebase = (changeMs: number): void => {
    const shift = Math.round(changeMs / BIN_MS);
    if (!Number.isFinite(shift) || shift <= 0) return;
    const moved = new Float64Array(BINS);
    for (let i = 0; i < BINS; i += 1) {
      const to = Math.max(0, i - shift);
      moved[to] = (moved[to] ?? 0) + (bins[i] ?? 0);
    }
    bins = moved;
  };

  return {
    record(transitMs, nowMs) {
      const before = base();
      if (nowMs >= windowEndsMs) {
        previous = nowMs - windowEndsMs > WINDOW_MS ? Number.POSITIVE_INFINITY : current;
        current = Number.POSITIVE_INFINITY;
        windowEndsMs = nowMs + WINDOW_MS;
      }
      current = Math.min(current, transitMs);
      rebase(base() - before);
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
