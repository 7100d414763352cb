/** setTimeout's own limit; anything longer fires at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The time of the world, for what the peer's clock decides: network deadlines, signatures, tokens (D9). */
export function realNow(): Date {
  return new Date();
}

/** Milliseconds that only ever grow: for measuring how long something took. */
export function monotonicMs(): number {
  return performance.now();
}

/** Calls `fn` after `ms` real milliseconds, never early, however long; returns the cancellation. */
export function realTimer(ms: number, fn: () => void): () => void {
  const dueMs = monotonicMs() + Math.max(0, ms);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = dueMs - monotonicMs();
    handle = setTimeout(fire, Math.min(Math.ceil(leftMs), MAX_TIMEOUT_MS));
  };
  // Node may fire up to a millisecond early, and a long wait comes in pieces.
  const fire = (): void => (monotonicMs() < dueMs ? arm() : fn());
  arm();
  return () => clearTimeout(handle);
}

/** Waits real milliseconds; rejects with the signal's reason when it aborts. */
export function realSleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = realTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
