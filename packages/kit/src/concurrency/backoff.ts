const INITIAL_MS = 100;
const MAX_MS = 5_000;

/**
 * The delay in milliseconds after this number of consecutive failures: it doubles from 100 ms to 5 s. Its upper half is random, so
 * that replicas do not retry in step.
 */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_MS, INITIAL_MS * 2 ** Math.min(failures - 1, 16));
  return ceiling / 2 + (ceiling / 2) * random();
}
