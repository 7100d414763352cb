import { realTimer } from '../time/index.ts';

/** The deadline of a whole request in real time, which the caller's signal can bring forward. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Calls `fn` when the deadline expires; returns a function that removes it. Cheaper than the signal, which few requests need. */
  onOver(fn: () => void): () => void;
  /** Undefined until the deadline expires. */
  cause(): 'timeout' | 'aborted' | undefined;
  /** `cause` as a sentence. */
  readonly sentence: string;
  /** The promise, or a rejection when the deadline expires. */
  race<T>(promise: Promise<T>): Promise<T>;
  end(): void;
};

export function startDeadline(ms: number, callerSignal?: AbortSignal): Deadline {
  const listeners = new Set<() => void>();
  let controller: AbortController | undefined;
  let cause: 'timeout' | 'aborted' | undefined;
  const finish = (reason: 'timeout' | 'aborted') => (): void => {
    if (cause !== undefined) return;
    cause = reason;
    controller?.abort();
    for (const fn of [...listeners]) fn();
  };
  const cancel = realTimer(ms, finish('timeout'));
  const onCallerAbort = finish('aborted');
  if (callerSignal?.aborted) onCallerAbort();
  callerSignal?.addEventListener('abort', onCallerAbort, { once: true });
  const onOver = (fn: () => void): (() => void) => {
    listeners.add(fn);
    return () => void listeners.delete(fn);
  };

  return {
    get signal() {
      controller ??= new AbortController();
      if (cause !== undefined) controller.abort();
      return controller.signal;
    },
    onOver,
    cause: () => cause,
    get sentence() {
      return cause === 'aborted'
        ? 'The request was cancelled'
        : `No complete response within ${Math.ceil(ms / 100) / 10} s`;
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(new Error('the deadline has expired'));
        if (cause !== undefined) abort();
        const forget = onOver(abort);
        promise.then(resolve, reject).finally(forget);
      }),
    end: () => {
      cancel();
      callerSignal?.removeEventListener('abort', onCallerAbort);
    },
  };
}
