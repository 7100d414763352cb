import type { Log } from '@parley/kit/log';

/** What Redis did not judge: each time is counted, and each outage, of whatever cause, is one line when it begins and one when it ends. */
export function createOutageWatch(log: Log, count: () => void) {
  let isAway = false;
  return {
    failed: (err: unknown): void => {
      count();
      if (!isAway) log.warn({ err }, 'rate limits are local');
      isAway = true;
    },
    judged: (): void => {
      if (isAway) log.info('rate limits are shared again');
      isAway = false;
    },
  };
}

export type OutageWatch = ReturnType<typeof createOutageWatch>;
