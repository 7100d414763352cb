import { setTimeout as sleep } from 'node:timers/promises';

export type EventuallyOptions = { timeoutMs?: number; everyMs?: number };

/** What hasn't come after so long is asked for less often: the machine is shared with what is waited for. */
const SOON_MS = 1_000;
const LATER_EVERY_MS = 75;

/**
 * Runs an expectation until it passes and gives its value; fails with its last error when time is up.
 * An expectation that hangs fails too. The time is for a machine that is very busy: it says when to stop hoping, and
 * asserts nothing.
 */
export async function eventually<T>(
  expectation: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 25 }: EventuallyOptions = {},
): Promise<T> {
  const beganMs = performance.now();
  const endsAtMs = beganMs + timeoutMs;
  let last: unknown = new Error(`nothing came of it within ${timeoutMs} ms`);
  do {
    try {
      return await within(Math.max(1, endsAtMs - performance.now()), expectation);
    } catch (err) {
      // The error of a try that time cut short explains less than the one before it.
      if (!(err instanceof OutOfTime)) last = err;
    }
    const isSoon = performance.now() - beganMs < SOON_MS;
    await sleep(isSoon ? everyMs : Math.max(everyMs, LATER_EVERY_MS));
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
