import type { ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { createKeyedLimiter } from '../concurrency/index.ts';
import { asClientWrite } from '../db/index.ts';
import { AppError } from '../errors/index.ts';
import { realTimer } from '../time/index.ts';
import { clientGone } from './client-gone.ts';
import { isRead, type ReadLimits } from './client-reads.ts';

/*
 * Transactions of clients' changes. Those of one workspace may wait for each other's locks, so one workspace gets a third of the
 * connections, and its public keys another third [trust.8]; further transactions queue, and no other workspace waits for them (ADR 46).
 */

export type ClientWrites = {
  /** Runs a handler with its transactions in this share, if it is a client's change; undefined: they are not limited. */
  run<T>(
    endpoint: AnyEndpoint,
    share: string | undefined,
    res: ServerResponse,
    work: () => Promise<T>,
  ): Promise<T>;
};

const SHARES = 3;
/** A transaction that waits for a lock, and the one that holds it. */
const MIN_CONCURRENCY = 2;
const MAX_QUEUED = 1_000;
const RETRY_AFTER_SECONDS = 5;

export function createClientWrites(limits: ReadLimits | undefined): ClientWrites {
  if (!limits) return { run: (_endpoint, _share, _res, work) => work() };
  const { otherConnections, timeoutMs } = limits;
  const concurrency = Math.max(MIN_CONCURRENCY, Math.ceil(otherConnections / SHARES));
  const limiter = createKeyedLimiter({ concurrency, maxQueued: MAX_QUEUED });

  return {
    run: (endpoint, share, res, work) => {
      if (share === undefined || endpoint.access === 'internal' || isRead(endpoint)) return work();
      const inShare = async <R>(transaction: () => Promise<R>): Promise<R> => {
        const waited = new AbortController();
        const cancel = realTimer(timeoutMs, () => waited.abort(waitedTooLong()));
        const onClose = (): void => waited.abort(clientGone());
        res.once('close', onClose);
        let release: () => void;
        try {
          release = await limiter.acquire(share, waited.signal);
        } finally {
          cancel();
          res.off('close', onClose);
        }
        return transaction().finally(release);
      };
      return asClientWrite(inShare, work);
    },
  };
}

function waitedTooLong(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Too many concurrent changes of this workspace; retry after the delay in Retry-After',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
