import {
  createDedicatedConnection,
  type DedicatedConnection,
  pgSqlClient,
  pgTransaction,
  type SqlClient,
  transaction,
} from '@parley/kit/db';
import type { RuntimeProcess } from '@parley/kit/runtime';

/** A connection each, so that claims, records and incoming messages never wait for one another. */
export type Connections = {
  claims: DedicatedConnection;
  records: DedicatedConnection;
  ingest: DedicatedConnection;
};

/**
 * Claims and records touch few rows of a table that grows fast: none of their plans may read it whole. Bitmap scans are off
 * as well: they revisit index entries of rows that have changed since, and unlike other scans don't mark them as dead,
 * hundreds of times a second until the next vacuum.
 */
const SETTINGS = {
  jit: 'off',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
};

/** Claims are serialized over all replicas: the transaction of a lost machine must end soon. */
const IDLE_IN_TRANSACTION_MS = 5_000;

export function connectDedicated(databaseUrl: string, { lifecycle, log }: RuntimeProcess): Connections {
  const common = {
    ...{ databaseUrl, log, lifecycle },
    ...{ settings: SETTINGS, idleInTransactionMs: IDLE_IN_TRANSACTION_MS },
  };
  return {
    claims: createDedicatedConnection({ ...common, name: 'webhooks-claims' }),
    records: createDedicatedConnection({ ...common, name: 'webhooks-records' }),
    ingest: createDedicatedConnection({ ...common, name: 'webhooks-ingest' }),
  };
}

/** Single statements on a dedicated connection, prepared once: there are only a few different ones. */
export function sqlOf(connection: DedicatedConnection): SqlClient {
  return pgSqlClient(connection, { prepared: true });
}

/** Runs `work` in a transaction of this connection, again after a deadlock: no effects except on `tx`. */
export function inTransaction<R>(
  connection: DedicatedConnection,
  work: (tx: SqlClient) => Promise<R>,
): Promise<R> {
  const client = {
    $transaction: <T>(run: (tx: SqlClient) => Promise<T>) =>
      pgTransaction(connection, run, { prepared: true }),
  };
  return transaction(client, work);
}
