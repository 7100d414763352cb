import { timedOut } from './failures.ts';

/** Rejects with the signal's reason as soon as it aborts. The promise's own rejection is then ignored. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => {});
  signal.throwIfAborted();
  let onAbort = (): void => {};
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        onAbort = () => reject(signal.reason);
        signal.addEventListener('abort', onAbort, { once: true });
      }),
    ]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Recognizes one utterance; rejects with SpeechError `timeout` if it takes longer than `ms`. */
export async function withTimeout<T>(
  provider: string,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const cancel = after(ms, () => stop.abort(timedOut(provider, 'no words in time')));
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    return await untilAborted(work(either), either);
  } finally {
    cancel();
  }
}

/** Marks the rejection as handled; awaiting the promise still throws. */
export function ignoreRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** Returns how to cancel. A pending timer doesn't keep the process running. */
export function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  let cancel = (): void => {};
  const passed = new Promise<void>((resolve) => {
    cancel = after(ms, resolve);
  });
  return untilAborted(passed, signal).finally(cancel);
}
