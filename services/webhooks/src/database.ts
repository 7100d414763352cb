import {
  createDedicatedConnection,
  createPrismaAdapter,
  type DedicatedConnection,
  pgSqlClient,
  type SqlClient,
} from '@parley/kit/db';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { PrismaClient } from './generated/prisma/client.ts';

export function connectPrisma(
  connection: { databaseUrl: string; pool: number; readTimeoutMs?: number },
  lifecycle: Lifecycle,
  log: Log,
): PrismaClient {
  const adapter = createPrismaAdapter({ ...connection, applicationName: 'parley-webhooks', log });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  return prisma;
}

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

export function connectDedicated(
  databaseUrl: string,
  { lifecycle, log }: { lifecycle: Lifecycle; log: Log },
): Connections {
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

/** Statements of a transaction on a dedicated connection. */
export type Transaction = ReturnType<typeof pgSqlClient>;

/** Runs `work` in a transaction of this connection. An error discards the connection, which rolls back. */
export async function inTransaction<R>(
  connection: DedicatedConnection,
  work: (tx: Transaction) => Promise<R>,
): Promise<R> {
  const client = await connection.connect();
  let failed = true;
  try {
    await client.query('BEGIN');
    const result = await work(pgSqlClient(client, { prepared: true }));
    await client.query('COMMIT');
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}
