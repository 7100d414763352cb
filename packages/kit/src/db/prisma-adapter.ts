import { PrismaPg } from '@prisma/adapter-pg';
import type { Log } from '../log/index.ts';

export type PrismaAdapterOptions = {
  databaseUrl: string;
  /** The most connections of this process (`DATABASE_POOL`). */
  pool: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  log: Log;
  /** How long the server lets one statement run. */
  statementTimeoutMs?: number;
};

/** A request must fail while its caller still waits: peers give each other 2-3 s. */
const CONNECT_TIMEOUT_MS = 2_000;
const IDLE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/**
 * Compiling takes longer than any statement of ours. And Prisma's driver writes times without their zone and reads them as if
 * they were UTC, whatever the server says: so the server says UTC.
 */
const SESSION = '-c jit=off -c TimeZone=UTC';
/** A transaction that its process forgot must not hold locks for ever. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** The driver of a `PrismaClient`: a pool with deadlines, whose lost connections are logged and never thrown. */
export function createPrismaAdapter(options: PrismaAdapterOptions): PrismaPg {
  const { databaseUrl, pool, applicationName, log, statementTimeoutMs = 15_000 } = options;
  const onLost = (err: Error): void => log.warn({ err }, 'database connection lost');
  return new PrismaPg(
    {
      connectionString: databaseUrl,
      options: SESSION,
      application_name: applicationName,
      max: pool,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
    { onPoolError: onLost, onConnectionError: onLost },
  );
}
