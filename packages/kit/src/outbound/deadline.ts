import { realTimer } from '../time/index.ts';

/** The one limit of a whole request, in real time, with the caller's own signal in it. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Calls `fn` once it is over; gives what takes that back. Cheaper than the signal, which few requests need. */
  onOver(fn: () => void): () => void;
  /** Why it is over; undefined while it isn't. */
  cause(): 'timeout' | 'aborted' | undefined;
  /** `cause` for people. */
  readonly sentence: string;
  /** The promise, or a rejection once the deadline is over. */
  race<T>(promise: Promise<T>): Promise<T>;
  end(): void;
};

export function startDeadline(ms: number, callerSignal?: AbortSignal): Deadline {
  const listeners = new Set<() => void>();
  let controller: AbortController | undefined;
  let cause: 'timeout' | 'aborted' | undefined;
  const finish = (why: 'timeout' | 'aborted') => (): void => {
    if (cause !== undefined) return;
    cause = why;
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
        ? 'The request was given up'
        : // A limit may be what was left of another, with all its decimals.
          `No complete answer came within ${Math.ceil(ms / 100) / 10} s`;
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        const giveUp = (): void => reject(new Error('the deadline is over'));
        if (cause !== undefined) giveUp();
        const forget = onOver(giveUp);
        promise.then(resolve, reject).finally(forget);
      }),
    end: () => {
      cancel();
      callerSignal?.removeEventListener('abort', onCallerAbort);
    },
  };
}
