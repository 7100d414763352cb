import { monotonicMs } from '@parley/kit/time';

/** How much of something may happen: `burst` at once, `perSecond` in the long run. */
export type Allowance = {
  /** False: it is too much. */
  take(): boolean;
};

export function createAllowance(
  { perSecond, burst }: { perSecond: number; burst: number },
  nowMs: () => number = monotonicMs,
): Allowance {
  let left = burst;
  let atMs = nowMs();
  return {
    take() {
      left = Math.min(burst, left + ((nowMs() - atMs) * perSecond) / 1_000);
      atMs = nowMs();
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
