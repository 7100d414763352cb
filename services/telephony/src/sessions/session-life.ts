import { retry } from '@parley/kit/concurrency';
import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';

/** The timers and retries of a session: all end with it. */
export type SessionLife = {
  /** Aborts when the session is over. */
  signal: AbortSignal;
  /** Runs `act` after `ms` of stack time, unless the session is over by then; returns a function that cancels it. */
  after(ms: number, act: () => void): () => void;
  /** Retries until it succeeds or the session is over (then undefined): databases and carriers recover. */
  retryUntilDone<T>(what: string, attempt: () => Promise<T>): Promise<T | undefined>;
  end(): void;
};

export function createSessionLife(clock: Clock, log: Log): SessionLife {
  const over = new AbortController();
  const timers = new Set<() => void>();
  return {
    signal: over.signal,
    after: (ms, act) => {
      if (over.signal.aborted) return () => {};
      const cancel = clock.timer(Math.max(0, ms), () => {
        timers.delete(cancel);
        act();
      });
      timers.add(cancel);
      return () => {
        timers.delete(cancel);
        cancel();
      };
    },
    retryUntilDone: (what, attempt) =>
      retry(attempt, {
        signal: over.signal,
        onFailure: (err, failures) => log.warn({ err, what, failures }, 'call step failed, trying again'),
      }).catch(() => undefined),
    end: () => {
      over.abort(new Error('the session is over'));
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
