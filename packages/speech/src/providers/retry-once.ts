import { isTemporary } from './failures.ts';
import { retryDelayMs } from './limits.ts';
import { pause } from './waiting.ts';

/** Makes an attempt; if it fails temporarily, pauses and makes another one. */
export async function retryOnce<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await attempt();
  } catch (err) {
    signal.throwIfAborted();
    if (!isTemporary(err)) throw err;
    await pause(retryDelayMs(err), signal);
    return attempt();
  }
}
