import { createDedicatedConnection, type DedicatedConnection } from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';

export type DeliveryConnections = {
  /** Claims wait for no record, and records for no claim. */
  claims: DedicatedConnection;
  records: DedicatedConnection;
};

/** A claim or a record touches few rows of a table that grows fast: no plan of theirs may ever read it whole. */
const SETTINGS = { jit: 'off', enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' };

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
  return { claims: connect('webhooks-claims'), records: connect('webhooks-records') };
}
