const MIN_DELAY_MS = 100;
const MAX_DURATION_MS = 5_000;
/** A process that has lived for so long was healthy: its end is a first failure again. */
const HEALTHY_AFTER_MS = 10_000;

/** How many failures in a row there are now that a process has died. */
export function failuresInRow(before: number, livedMs: number): number {
  return livedMs >= HEALTHY_AFTER_MS ? 1 : before + 1;
}

/** How long to wait before a dead process is started again: not at all, then 100 ms, doubling up to 5 s. */
export function restartDelayMs(failures: number): number {
  return failures <= 1 ? 0 : Math.min(MIN_DELAY_MS * 2 ** (failures - 2), MAX_DURATION_MS);
}
