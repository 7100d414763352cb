import { Redis } from 'ioredis';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';

export type RedisOptions = { url: string; log: Log; lifecycle: Lifecycle };

export type RedisConnection = {
  /** Commands are refused at once while Redis is away, and time out quickly where it is slow. */
  client: Redis;
  isUp(): boolean;
};

const CONNECT_TIMEOUT_MS = 2_000;
/** A request waits for its rate limit no longer than this, then the caller falls back. */
const COMMAND_TIMEOUT_MS = 500;
const SOCKET_TIMEOUT_MS = 2_000;
/** How long the start waits for the first connection before it goes on without. */
const START_GRACE_MS = 1_000;
const LONGEST_PAUSE_MS = 1_000;

/**
 * A connection to Redis that comes back by itself for ever. It never throws and never emits an unhandled error:
 * everything that Redis keeps can be done without. Resolves when it is up, or after a second without.
 */
export async function connectRedis({ url, log, lifecycle }: RedisOptions): Promise<RedisConnection> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // A peer that vanished without a word: drop the socket and connect anew.
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: (times) =>
      Math.min(LONGEST_PAUSE_MS, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
    // After a failover the old primary answers READONLY: look for the new one.
    reconnectOnError: (err) => err.message.startsWith('READONLY'),
  });
  watch(client, log);
  lifecycle.onStop('redis', async () => {
    await client.quit().catch(() => client.disconnect());
  });
  await Promise.race([client.connect().catch(() => {}), grace()]);
  return { client, isUp: () => client.status === 'ready' };
}

/** One line when an outage begins and one when it ends, however many attempts lie between. */
function watch(client: Redis, log: Log): void {
  let away = false;
  client.on('error', (err: Error) => {
    if (!away) log.warn({ err }, 'redis is away');
    away = true;
  });
  client.on('ready', () => {
    if (away) log.info('redis is back');
    away = false;
  });
}

function grace(): Promise<void> {
  return new Promise((resolve) => {
    realTimer(START_GRACE_MS, resolve);
  });
}
