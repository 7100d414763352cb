import { realTimer } from '../time/index.ts';

/** The one limit of a whole request, in real time, with the caller's own signal in it. */
export type Deadline = {
  readonly signal: AbortSignal;
  /** Why it is over; undefined while it isn't. */
  cause(): 'timeout' | 'aborted' | undefined;
  /** `cause` for people. */
  readonly sentence: string;
  /** The promise, or a rejection once the deadline is over. */
  race<T>(promise: Promise<T>): Promise<T>;
  end(): void;
};

export function startDeadline(ms: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  let cause: 'timeout' | 'aborted' | undefined;
  const finish = (why: 'timeout' | 'aborted') => (): void => {
    cause ??= why;
    controller.abort();
  };
  const cancel = realTimer(ms, finish('timeout'));
  const onCallerAbort = finish('aborted');
  if (callerSignal?.aborted) onCallerAbort();
  callerSignal?.addEventListener('abort', onCallerAbort, { once: true });

  return {
    signal,
    cause: () => cause,
    get sentence() {
      return cause === 'aborted'
        ? 'The request was given up'
        : // A limit may be what was left of another, with all its decimals.
          `No complete answer came within ${Math.ceil(ms / 100) / 10} s`;
    },
    race: (promise) =>
      new Promise((resolve, reject) => {
        const onAbort = (): void => reject(signal.reason);
        if (signal.aborted) onAbort();
        signal.addEventListener('abort', onAbort, { once: true });
        promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
      }),
    end: () => {
      cancel();
      callerSignal?.removeEventListener('abort', onCallerAbort);
    },
  };
}
