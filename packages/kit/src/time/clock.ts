import { realNow, realSleep, realTimer } from './real-time.ts';

/**
 * The clock of the stack (D9): every stored instant, wait and schedule follows it. It runs `rate` times as fast as
 * real time. Deadlines of network I/O use `realSleep` and `realTimer` instead.
 */
export type Clock = {
  readonly rate: number;
  /** Stack time. */
  now(): Date;
  /** Real time. */
  realNow(): Date;
  /** How long a wait of the stack lasts in the world. */
  toRealMs(stackMs: number): number;
  /** Waits in stack time; rejects with the signal's reason when it aborts. */
  sleep(stackMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` after a wait in stack time, never early, however long; returns the cancellation. */
  timer(stackMs: number, fn: () => void): () => void;
};

export type ClockOptions = {
  /** Stack seconds per real second; 1 is real time. */
  rate: number;
  /** Real epoch milliseconds at which both times are equal; all processes of a stack share it. */
  originMs: number;
};

/** The one clock of a process (D9). At rate 1 stack time is real time, whatever the origin. */
export function createClock({ rate, originMs }: ClockOptions): Clock {
  const toRealMs = (stackMs: number): number => stackMs / rate;
  return {
    rate,
    now: () => {
      const real = realNow();
      return rate === 1 ? real : new Date(originMs + (real.getTime() - originMs) * rate);
    },
    realNow,
    toRealMs,
    sleep: (stackMs, signal) => realSleep(toRealMs(stackMs), signal),
    timer: (stackMs, fn) => realTimer(toRealMs(stackMs), fn),
  };
}

/** The database's own real time: for leases alone, which measure whether a process lives. */
export const DB_NOW = 'clock_timestamp()';
