import { createDedicatedConnection, type DedicatedConnection } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';

export type DeliveryConnections = {
  /** Nobody waits for the others: neither claims, nor records, nor what messages tell. */
  claims: DedicatedConnection;
  records: DedicatedConnection;
  news: DedicatedConnection;
};

/**
 * A claim or a record touches few rows of a table that grows fast: no plan of theirs may ever read it whole. Nor may one go
 * by a bitmap: it would look at all that an index still has of rows that have changed since, and unlike other scans leave
 * that for the next to look at again, hundreds of times a second until the next vacuum.
 */
const SETTINGS = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Claims of all replicas wait for one that stands still in the middle of its own, as on a machine that is gone. */
const IDLE_IN_TRANSACTION_MS = 5_000;

export function connectDeliveries(
  databaseUrl: string,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): DeliveryConnections {
  const connect = (name: string) =>
    createDedicatedConnection({
      databaseUrl,
      name,
      log,
      lifecycle,
      settings: SETTINGS,
      idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    });
  return {
    claims: connect('webhooks-claims'),
    records: connect('webhooks-records'),
    news: connect('webhooks-news'),
  };
}
