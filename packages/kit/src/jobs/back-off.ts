const FIRST_MS = 100;
const MOST_MS = 5_000;

/**
 * How long to wait after the given number of failures in a row: doubling from 100 ms to 5 s, with the upper half
 * drawn by chance so that replicas don't come back in step.
 */
export function backOffMs(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 16));
  return ceiling / 2 + (ceiling / 2) * random();
}
