import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { isConnectivityError } from '../errors/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import { backOffMs } from './back-off.ts';

export type LoopOptions = {
  name: string;
  /** Real milliseconds between the end of a run that found nothing more and the next one. */
  everyMs: number;
  /** Does some of the work; `true`: there is more, run again at once. The signal aborts when the loop stops. */
  run: (signal: AbortSignal) => Promise<boolean>;
  log: Log;
  lifecycle: Lifecycle;
};

export type Loop = {
  /** Runs now, or once more right after the run that is under way. A back-off is waited out all the same. */
  wake(): void;
  /** Resolves when the run that is under way has ended. */
  stop(): Promise<void>;
};

/**
 * Work that comes again for as long as the process lives: one run at a time, the first at once. An error is logged,
 * backed off and never ends the loop; an outage of a dependency is logged once, when it begins and when it ends.
 */
export function createLoop({ name, everyMs, run, log, lifecycle }: LoopOptions): Loop {
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
    if (outage) log.info({ loop: name }, 'loop goes on');
    failures = 0;
    outage = false;
    return more;
  };

  const fail = async (err: unknown): Promise<void> => {
    if (signal.aborted) return;
    failures += 1;
    if (!isConnectivityError(err)) log.error({ err, loop: name, failures }, 'loop failed');
    else if (!outage) log.warn({ err, loop: name }, 'loop waits for a dependency');
    outage ||= isConnectivityError(err);
    await pause(backOffMs(failures), false);
  };

  const live = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await yieldToEvents();
        if (!(await once())) await pause(everyMs, true);
      } catch (err) {
        await fail(err);
      }
    }
  };

  const finished = live();
  const loop: Loop = {
    wake: () => {
      woken = true;
      interrupt();
    },
    stop: () => {
      controller.abort(new Error(`loop ${name} stops`));
      interrupt();
      return finished;
    },
  };
  lifecycle.onStop(`loop ${name}`, loop.stop);
  return loop;
}
