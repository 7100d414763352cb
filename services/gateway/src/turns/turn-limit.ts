/** Later than this, the process is busy: requests wait for it anyway, so they should wait in turns. */
const LATE_MS = 10;
/** Enough to use two processors while some requests wait for a database. */
const MIN_UNDER_WAY = 4;
const DECREASE = 0.7;
/** From here on there is no limit: only a busy process needs one. */
const UNLIMITED_FROM = 64;

export type TurnLimit = {
  max(): number;
  /** `lateMs`: how late the event loop ran its work since the last call; `busiest`: the most requests that were under way at once. */
  adjust(lateMs: number, busiest: number): void;
};

/**
 * The number of requests that may be under way at once. It falls by 30% whenever the event loop is late and rises by one whenever it is not, so
 * that it settles where the processors are just used. Unlimited at first: then it falls from what was under way, or from 64 if that was less, so
 * that a single pause of a quiet process hardly limits it.
 */
export function createTurnLimit(): TurnLimit {
  let max = Number.POSITIVE_INFINITY;
  return {
    max: () => max,
    adjust: (lateMs, busiest) => {
      if (lateMs > LATE_MS) {
        const before = Math.min(max, Math.max(busiest, UNLIMITED_FROM));
        max = Math.max(MIN_UNDER_WAY, Math.floor(before * DECREASE));
        return;
      }
      max = max + 1 < UNLIMITED_FROM ? max + 1 : Number.POSITIVE_INFINITY;
    },
  };
}
