import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import pg from 'pg';
import { assertNewEnough } from './assert-new-enough.ts';
import type { ServerKind } from './server-kinds.ts';

const TIMEOUT_MS = 2_000;

/**
 * Connects with the server's protocol and the credentials of the URL, and returns its version. Throws if it doesn't respond, rejects the
 * credentials, is too old, or lacks permissions.
 */
export async function probe(kind: ServerKind, url: string): Promise<string> {
  const probes = { postgres: probePostgres, redis: probeRedis, rabbitmq: probeRabbitmq };
  const version = await probes[kind](url);
  assertNewEnough(kind, version);
  return version;
}

async function probePostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  // A connection lost between two queries emits an error, which would end the process without a listener.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ version: string; may_create: boolean }>(
      `select split_part(current_setting('server_version'), ' ', 1) as version, rolsuper or rolcreatedb as may_create
         from pg_roles where rolname = current_user`,
    );
    const [row] = rows;
    if (!row?.may_create) throw new Error('this user may not create databases (it needs CREATEDB)');
    return row.version;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function probeRedis(url: string): Promise<string> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let cause: Error | undefined;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    const info = await redis.info('server');
    return /redis_version:(\S+)/.exec(info)?.[1] ?? '0';
  } catch (error) {
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

async function probeRabbitmq(url: string): Promise<string> {
  const model = await connect(url, { timeout: TIMEOUT_MS });
  model.on('error', () => undefined);
  const { version } = model.connection.serverProperties;
  await model.close();
  return version;
}
