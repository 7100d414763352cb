import { realNow, realSleep, realTimer } from './real-time.ts';

/**
 * The clock of the stack [running.1]: all stored times, delays and schedules follow it. It runs `rate` times as fast as real time.
 * Network deadlines use `realSleep` and `realTimer` instead.
 */
export type Clock = {
  readonly rate: number;
  /** Stack time. */
  now(): Date;
  /** Real time. */
  realNow(): Date;
  /** Converts stack milliseconds to real ones. */
  toRealMs(stackMs: number): number;
  /** Waits in stack time; rejects with the signal's reason when it aborts. */
  sleep(stackMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls `fn` after a delay in stack time, never early and without an upper limit; returns a function that cancels it. */
  timer(stackMs: number, fn: () => void): () => void;
};

export type ClockOptions = {
  /** Stack seconds per real second; 1 is real time. */
  rate: number;
  /** Real epoch milliseconds at which both times are equal; all processes of a stack share it. */
  originMs: number;
};

/** Creates the clock of a process. At rate 1 stack time is real time, whatever the origin. */
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
