import { Redis } from 'ioredis';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';

export type RedisOptions = { url: string; log: Log; lifecycle: Lifecycle };

export type RedisConnection = {
  /** Commands fail at once while Redis is unavailable, and time out quickly if it is slow. */
  client: Redis;
  isUp(): boolean;
};

const CONNECT_TIMEOUT_MS = 2_000;
/** After this, callers such as rate limits use their fallback. */
const COMMAND_TIMEOUT_MS = 500;
const SOCKET_TIMEOUT_MS = 2_000;
/** After this time the service starts without a connection. */
const START_GRACE_MS = 1_000;
const MAX_BACKOFF_MS = 1_000;

/**
 * A connection to Redis that always reconnects. It never throws and never emits an unhandled error, since all uses of Redis have a
 * fallback. Resolves when it is connected, or after a second.
 */
export async function connectRedis({ url, log, lifecycle }: RedisOptions): Promise<RedisConnection> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // Detects a server that vanished without closing the connection.
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: (times) =>
      Math.min(MAX_BACKOFF_MS, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
    // After a failover the old primary responds with READONLY: reconnect to the new one.
    reconnectOnError: (err) => err.message.startsWith('READONLY'),
  });
  watch(client, log);
  lifecycle.onStop('redis', async () => {
    await client.quit().catch(() => client.disconnect());
  });
  await Promise.race([client.connect().catch(() => {}), grace()]);
  return { client, isUp: () => client.status === 'ready' };
}

/** Logs the beginning and the end of an outage. */
function watch(client: Redis, log: Log): void {
  let isDown = false;
  client.on('error', (err: Error) => {
    if (!isDown) log.warn({ err }, 'redis unavailable');
    isDown = true;
  });
  client.on('ready', () => {
    if (isDown) log.info('redis connected again');
    isDown = false;
  });
}

function grace(): Promise<void> {
  return new Promise((resolve) => {
    realTimer(START_GRACE_MS, resolve);
  });
}
