import { type Amqp, MessageRefusedError } from '../amqp/index.ts';
import { createJobLoop } from '../concurrency/index.ts';
import {
  createDedicatedConnection,
  type SqlClient,
  type Transactional,
  type TransactionOptions,
  transaction,
} from '../db/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { sweepContents } from './contents.ts';
import { hasEnqueued } from './enqueue.ts';
import { isolateRefused } from './isolate-refused.ts';
import { outboxMetrics } from './outbox-metrics.ts';
import { relayBatch } from './relay-batch.ts';

export type OutboxOptions<Tx extends SqlClient> = {
  /** The service's Prisma client, for its transactions. */
  prisma: Transactional<Tx> & SqlClient;
  /** The same database; the relay has a connection of its own. */
  databaseUrl: string;
  amqp: Pick<Amqp, 'publish' | 'canPublish'>;
  log: Log;
  lifecycle: Lifecycle;
  metrics: Metrics;
};

export type Outbox<Tx extends SqlClient> = {
  /** `transaction` of kit/db; messages of `enqueue` are published right after the commit. */
  transaction<R>(work: (tx: Tx) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Publishes messages whose transaction was committed in another way. */
  wake(): void;
};

/** The delay of messages whose process died after the commit, or while the broker was unavailable. */
const POLL_MS = 500;
const SWEEP_EVERY_MS = 3_600_000;

/**
 * Publishes the outbox of this service's database until the lifecycle stops, in every process. While the broker is unavailable the
 * rows stay.
 */
export function createOutbox<Tx extends SqlClient>(options: OutboxOptions<Tx>): Outbox<Tx> {
  const { prisma, databaseUrl, amqp, log, lifecycle } = options;
  const connection = createDedicatedConnection({ databaseUrl, name: 'outbox', log, lifecycle });
  const metrics = outboxMetrics(options.metrics, prisma);
  const relay = createJobLoop({
    name: 'outbox',
    everyMs: POLL_MS,
    run: async () => {
      if (!amqp.canPublish()) return false;
      try {
        const { types, more } = await relayBatch(connection, amqp.publish);
        for (const type of types) metrics.published.inc({ type });
        return more;
      } catch (err) {
        if (!(err instanceof MessageRefusedError)) throw err;
        const { published, refused } = await isolateRefused(connection, amqp, log);
        for (const type of published) metrics.published.inc({ type });
        for (const type of refused) metrics.refused.inc({ type });
        return published.length + refused.length > 0;
      }
    },
    log,
    lifecycle,
  });

  createJobLoop({
    name: 'outbox contents',
    everyMs: SWEEP_EVERY_MS,
    run: () => sweepContents(prisma),
    log,
    lifecycle,
  });

  return {
    transaction: async (work, transactionOptions) => {
      let hasMessages = false;
      const tracked = async (tx: Tx): ReturnType<typeof work> => {
        const result = await work(tx);
        hasMessages = hasEnqueued(tx);
        return result;
      };
      const result = await transaction(prisma, tracked, transactionOptions);
      if (hasMessages) relay.wake();
      return result;
    },
    wake: relay.wake,
  };
}
