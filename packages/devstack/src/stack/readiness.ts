import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 50;
const ANSWER_WITHIN_MS = 2_000;

/** Polls until the response is 200. Rejects when `signal` aborts. */
export async function waitUntilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!(await answersOk(url))) {
    signal.throwIfAborted();
    await sleep(EVERY_MS, undefined, { signal });
  }
}

/** Whether a GET returns 200 within two seconds. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
