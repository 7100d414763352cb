/** The limit of setTimeout: longer delays fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Real time, for deadlines shared with other systems: network timeouts, signatures, tokens [running.1]. */
export function realNow(): Date {
  return new Date();
}

/** Monotonic milliseconds, for measuring durations. */
export function monotonicMs(): number {
  return performance.now();
}

/** Calls `fn` after `ms` real milliseconds, never early and without an upper limit; returns a function that cancels it. */
export function realTimer(ms: number, fn: () => void): () => void {
  const dueMs = monotonicMs() + Math.max(0, ms);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    const leftMs = dueMs - monotonicMs();
    handle = setTimeout(fire, Math.min(Math.ceil(leftMs), MAX_TIMEOUT_MS));
  };
  // Node may fire a millisecond early, and long delays are split.
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

/**
 * Runs work with a signal that aborts after `ms` real milliseconds, or with one of the given signals. `AbortSignal.any` holds its sources
 * weakly: an `AbortSignal.timeout` that nothing else holds may be collected, and then never fires.
 */
export async function withDeadline<T>(
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  ...signals: AbortSignal[]
): Promise<T> {
  const late = new AbortController();
  const cancel = realTimer(ms, () => late.abort(new Error(`not done within ${Math.round(ms)} ms`)));
  try {
    return await work(AbortSignal.any([late.signal, ...signals]));
  } finally {
    cancel();
  }
}
