import type { Amqp } from '../amqp/index.ts';
import {
  createDedicatedConnection,
  type Sql,
  type Transactional,
  type TransactionOptions,
  transaction,
} from '../db/index.ts';
import { createLoop } from '../jobs/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { hasEnqueued } from './enqueue.ts';
import { outboxMetrics } from './outbox-metrics.ts';
import { relayBatch } from './relay-batch.ts';

export type OutboxOptions<Tx extends Sql> = {
  /** The service's Prisma client, for its transactions. */
  prisma: Transactional<Tx> & Sql;
  /** The same database; the relay has a connection of its own. */
  databaseUrl: string;
  amqp: Pick<Amqp, 'publish' | 'canPublish'>;
  log: Log;
  lifecycle: Lifecycle;
  metrics: Metrics;
};

export type Outbox<Tx extends Sql> = {
  /** `transaction` of kit/db; when `enqueue` was called in it, its messages leave right after the commit. */
  transaction<R>(work: (tx: Tx) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Relays now, for what was committed in another way. */
  wake(): void;
};

/** How late a message leaves when nobody woke the relay: whoever committed it has died, or the broker was away. */
const POLL_MS = 500;

/**
 * Relays the outbox of this service's database to the broker until the lifecycle stops, in every process that opens
 * one. While the broker is away nothing is claimed and the rows wait.
 */
export function createOutbox<Tx extends Sql>(options: OutboxOptions<Tx>): Outbox<Tx> {
  const { prisma, databaseUrl, amqp, log, lifecycle } = options;
  const connection = createDedicatedConnection({ databaseUrl, name: 'outbox', log, lifecycle });
  const metrics = outboxMetrics(options.metrics, prisma);
  const relay = createLoop({
    name: 'outbox',
    everyMs: POLL_MS,
    run: async () => {
      if (!amqp.canPublish()) return false;
      const { types, more } = await relayBatch(connection, amqp.publish);
      for (const type of types) metrics.published.inc({ type });
      return more;
    },
    log,
    lifecycle,
  });

  return {
    transaction: async (work, transactionOptions) => {
      let speaks = false;
      const listen = async (tx: Tx): ReturnType<typeof work> => {
        const result = await work(tx);
        speaks = hasEnqueued(tx);
        return result;
      };
      const result = await transaction(prisma, listen, transactionOptions);
      if (speaks) relay.wake();
      return result;
    },
    wake: relay.wake,
  };
}
