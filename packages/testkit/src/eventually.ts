import { setTimeout as sleep } from 'node:timers/promises';

export type EventuallyOptions = { timeoutMs?: number; everyMs?: number };

/** After this time it polls less often, to leave the CPU to what it waits for. */
const SLOWER_AFTER_MS = 1_000;
const SLOW_EVERY_MS = 75;

/**
 * Runs an expectation until it passes and returns its value; fails with its last error after the timeout, which also ends an expectation
 * that hangs. The timeout is for very busy machines and asserts nothing.
 */
export async function eventually<T>(
  expectation: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 25 }: EventuallyOptions = {},
): Promise<T> {
  const beganMs = performance.now();
  const endsAtMs = beganMs + timeoutMs;
  let last: unknown = new Error(`no result within ${timeoutMs} ms`);
  do {
    try {
      return await within(Math.max(1, endsAtMs - performance.now()), expectation);
    } catch (err) {
      // The previous error explains more than the timeout of the last attempt.
      if (!(err instanceof OutOfTime)) last = err;
    }
    const isSoon = performance.now() - beganMs < SLOWER_AFTER_MS;
    await sleep(isSoon ? everyMs : Math.max(everyMs, SLOW_EVERY_MS));
  } while (performance.now() < endsAtMs);
  throw last;
}

class OutOfTime extends Error {}

async function within<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  let handle: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    handle = setTimeout(() => reject(new OutOfTime()), ms);
  });
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    clearTimeout(handle);
  }
}
