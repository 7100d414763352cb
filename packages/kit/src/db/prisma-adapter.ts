import { PrismaPg } from '@prisma/adapter-pg';
import type { Log } from '../log/index.ts';
import { isClientRead, readConnectionsOf } from './client-reads.ts';
import { createStatementNames } from './statement-names.ts';

type PrismaPgOptions = NonNullable<ConstructorParameters<typeof PrismaPg>[1]>;

export type PrismaAdapterOptions = {
  databaseUrl: string;
  /** Maximum number of connections (`DATABASE_POOL`). */
  pool: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  log: Log;
  /** The server's statement timeout. */
  statementTimeoutMs?: number;
  /** Statement timeout of client reads (`READ_TIMEOUT_MS`), which then have a pool of `readConnectionsOf(pool)` connections. */
  readTimeoutMs?: number;
};

/** The part of a driver that a `PrismaClient` uses. */
type Driver = Pick<
  Awaited<ReturnType<PrismaPg['connect']>>,
  | 'provider'
  | 'adapterName'
  | 'queryRaw'
  | 'executeRaw'
  | 'executeScript'
  | 'startTransaction'
  | 'getConnectionInfo'
  | 'dispose'
>;
export type PrismaAdapter = Pick<PrismaPg, 'provider' | 'adapterName'> & { connect(): Promise<Driver> };

/** Shorter than the timeout of callers, which is 2-3 s. */
const CONNECT_TIMEOUT_MS = 2_000;
const IDLE_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/**
 * JIT compilation takes longer than our statements. Prisma's driver reads and writes timestamps without a zone as UTC, so the session has
 * to be in UTC. Prepared statements are planned with their values: the best plan depends on how much a workspace has.
 */
const SESSION = '-c jit=off -c TimeZone=UTC -c plan_cache_mode=force_custom_plan';
/** Ends transactions that a process left open, and their locks. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * The driver of a `PrismaClient`: a pool with timeouts that logs lost connections. With `readTimeoutMs` a second pool serves client
 * reads, so that changes, calls and deliveries never wait behind them. Statements are prepared, except those of client reads, whose texts
 * vary with their filters.
 */
export function createPrismaAdapter(options: PrismaAdapterOptions): PrismaAdapter {
  const { pool, readTimeoutMs } = options;
  const nameOf = createStatementNames();
  const main = createPool(options, { statementNameGenerator: ({ sql, args }) => nameOf(sql, args.length) });
  if (readTimeoutMs === undefined) return main;
  const reads = createPool({
    ...options,
    pool: readConnectionsOf(pool),
    statementTimeoutMs: readTimeoutMs,
    applicationName: `${options.applicationName}-reads`,
  });
  return {
    provider: main.provider,
    adapterName: main.adapterName,
    connect: async () => byKind(await main.connect(), await reads.connect()),
  };
}

/** Chooses the pool per statement; a transaction stays in one. */
function byKind(main: Driver, reads: Driver): Driver {
  const chosen = (): Driver => (isClientRead() ? reads : main);
  return {
    provider: main.provider,
    adapterName: main.adapterName,
    queryRaw: (query) => chosen().queryRaw(query),
    executeRaw: (query) => chosen().executeRaw(query),
    executeScript: (script) => main.executeScript(script),
    startTransaction: (isolationLevel) => chosen().startTransaction(isolationLevel),
    getConnectionInfo: () => main.getConnectionInfo(),
    dispose: async () => {
      await Promise.all([main.dispose(), reads.dispose()]);
    },
  };
}

function createPool(
  { databaseUrl, pool, applicationName, log, statementTimeoutMs = 15_000 }: PrismaAdapterOptions,
  prepared: Pick<PrismaPgOptions, 'statementNameGenerator'> = {},
): PrismaPg {
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
    { ...prepared, onPoolError: onLost, onConnectionError: onLost },
  );
}
