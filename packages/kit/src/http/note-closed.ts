import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { monotonicMs } from '../time/index.ts';

/** The limit that a connection was over: `pipelining`, `network` (of one network) or `total` (of all). */
type ExceededLimit = 'pipelining' | 'network' | 'total';

/** `remote`: the address that it came from. */
export type NoteClosed = (limit: ExceededLimit, remote: string | undefined) => void;

const LINE_EVERY_MS = 60_000;

/** Counts connections that are closed without a response, and logs one a minute for each limit: any client can cause as many as it likes. */
export function createNoteClosed(
  { log, metrics }: { log: Pick<Log, 'warn'>; metrics: Pick<Metrics, 'connectionsClosed'> },
  nowMs: () => number = monotonicMs,
): NoteClosed {
  const quietUntilMs = new Map<ExceededLimit, number>();
  return (limit, remote) => {
    metrics.connectionsClosed.inc({ limit });
    if (nowMs() < (quietUntilMs.get(limit) ?? 0)) return;
    quietUntilMs.set(limit, nowMs() + LINE_EVERY_MS);
    log.warn(
      { limit, remote },
      'a connection over a limit was closed; further ones are only counted for a minute',
    );
  };
}
