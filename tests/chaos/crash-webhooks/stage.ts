import { randomBytes } from 'node:crypto';
import { type Amqp, connectAmqp } from '@parley/kit/amqp';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { type Clock, createClock } from '@parley/kit/time';
import { eventually, internalKeys, testDatabase } from '@parley/testkit';
import type { Random } from '@parley/testkit/load';
import {
  type KillableServer,
  killableBroker,
  killablePostgres,
  startVictim,
  type Victim,
} from '@parley/testkit/stage';
import pg from 'pg';
import { type Gateway, openGateway } from './gateway.ts';
import { type CrashReceiver, openReceiver } from './receiver.ts';

/** Webhooks as three processes that can be killed, on servers that can be killed. */
export type Stage = {
  clock: Clock;
  /** Survives a restart of Postgres: a lost connection fails only its statement. */
  pool: pg.Pool;
  postgres: KillableServer;
  broker: KillableServer;
  /** Publishes as telephony's outbox does. */
  bus: Amqp;
  /** One per deliverer. */
  gateways: Gateway[];
  receiver: CrashReceiver;
  deliverers: Victim[];
  /** Waits until `count` deliverers, by default all, listen. */
  ready(count?: number): Promise<void>;
};

const REPLICAS = 3;
const PREFIX = 'crash-webhooks';

export async function setStage(rate: number, random: Random, lifecycle: Lifecycle): Promise<Stage> {
  const log = createLogger({ service: 'bench', level: 'silent' });
  const postgres = await killablePostgres();
  lifecycle.onStop('postgres', postgres.stop);
  const broker = await killableBroker();
  lifecycle.onStop('broker', broker.stop);
  process.env.DATABASE_URL = postgres.url;
  const database = await testDatabase('webhooks', { durable: true });
  lifecycle.onStop('database', database.drop);
  const pool = new pg.Pool({ connectionString: database.url, max: 8 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  lifecycle.onStop('pool', () => pool.end());

  const originMs = Date.now();
  const clock = createClock({ rate, originMs });
  const gateways = await Promise.all(Array.from({ length: REPLICAS }, () => openGateway(lifecycle)));
  const secrets = gateways.map(({ secret }) => secret);
  const receiver = await openReceiver({ secrets, clock, random }, lifecycle);
  const bus = connectAmqp({ url: broker.url, prefix: PREFIX, log, lifecycle });
  const env = {
    ...process.env,
    PORT: '0',
    NODE_ENV: 'test',
    CLOCK_RATE: String(rate),
    CLOCK_ORIGIN_MS: String(originMs),
    DATABASE_URL: database.url,
    AMQP_URL: broker.url,
    AMQP_PREFIX: PREFIX,
    ...internalKeys(randomBytes(32).toString('hex'), 'webhooks'),
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    // Errors are expected while the servers are down.
    LOG_LEVEL: 'fatal',
  };
  const deliverers = gateways.map(({ url }) =>
    startVictim('deliverer', { ...env, GATEWAY_INTERNAL_URL: url, TELEPHONY_URL: url, ASSISTANTS_URL: url }),
  );
  lifecycle.onStop('deliverers', async () => {
    await Promise.all(deliverers.map((one) => one.end()));
  });
  const ready = async (count = REPLICAS): Promise<void> => {
    await eventually(
      () => {
        if (deliverers.filter((one) => one.port() !== undefined).length < count || !bus.canPublish())
          throw new Error('a process has not started');
      },
      { timeoutMs: 90_000 },
    );
  };
  return { clock, pool, postgres, broker, bus, gateways, receiver, deliverers, ready };
}
