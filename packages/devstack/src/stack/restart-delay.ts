const MIN_DELAY_MS = 100;
const MAX_DURATION_MS = 5_000;
/** A process that has run this long was healthy: its exit counts as a first failure. */
const HEALTHY_AFTER_MS = 10_000;

/** The number of consecutive failures after a process has died. */
export function failuresInRow(before: number, livedMs: number): number {
  return livedMs >= HEALTHY_AFTER_MS ? 1 : before + 1;
}

/** The delay before a restart: none at first, then 100 ms, doubling up to 5 s. */
export function restartDelayMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(MIN_DELAY_MS * 2 ** (failures - 2), MAX_DURATION_MS);
}
