import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { isConnectivityError } from '../errors/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import { backoffMs } from './backoff.ts';

export type JobLoopOptions = {
  name: string;
  /** Real milliseconds between the end of a run without more work and the next run. */
  everyMs: number;
  /** One run; `true`: there is more work, run again at once. The signal aborts when the loop stops. */
  run: (signal: AbortSignal) => Promise<boolean>;
  log: Log;
  lifecycle: Lifecycle;
};

export type JobLoop = {
  /** Runs now, or once more right after the current run; does not shorten a backoff. */
  wake(): void;
  /** Resolves when the current run has ended. */
  stop(): Promise<void>;
};

/**
 * Runs a job repeatedly until the process stops: one run at a time, the first immediately. An error is logged and delays the next run
 * (`backoffMs`); the outage of a dependency is logged when it begins and when it ends.
 */
export function createJobLoop({ name, everyMs, run, log, lifecycle }: JobLoopOptions): JobLoop {
  const controller = new AbortController();
  const { signal } = controller;
  let failures = 0;
  let outage = false;
  let woken = false;
  let interrupt = (): void => {};

  const pause = (ms: number, wakeable: boolean): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted || (wakeable && woken)) return resolve();
      const cancel = realTimer(ms, () => resolve());
      interrupt = () => {
        if (!wakeable && !signal.aborted) return;
        cancel();
        resolve();
      };
    });

  const once = async (): Promise<boolean> => {
    woken = false;
    const more = await run(signal);
    if (outage) log.info({ job: name }, 'job recovered');
    failures = 0;
    outage = false;
    return more;
  };

  const fail = async (err: unknown): Promise<void> => {
    if (signal.aborted) return;
    failures += 1;
    if (!isConnectivityError(err)) log.error({ err, job: name, failures }, 'job failed');
    else if (!outage) log.warn({ err, job: name }, 'job waits for a dependency');
    outage ||= isConnectivityError(err);
    await pause(backoffMs(failures), false);
  };

  const runForever = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await yieldToEvents();
        if (!(await once())) await pause(everyMs, true);
      } catch (err) {
        await fail(err);
      }
    }
  };

  const finished = runForever();
  const loop: JobLoop = {
    wake: () => {
      woken = true;
      interrupt();
    },
    stop: () => {
      controller.abort(new Error(`job ${name} stops`));
      interrupt();
      return finished;
    },
  };
  lifecycle.onStop(`job ${name}`, loop.stop);
  return loop;
}
