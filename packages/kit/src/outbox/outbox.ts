import type { Amqp } from '../amqp/index.ts';
import type { Sql } from '../db/index.ts';
import { createLoop } from '../jobs/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import { hasEnqueued } from './enqueue.ts';
import { relayBatch } from './relay-batch.ts';

/** Prisma's options of an interactive transaction. */
export type TransactionOptions = { maxWait?: number; timeout?: number };

/** What the outbox needs of a Prisma client. */
export type Transactional<Tx extends Sql> = {
  $transaction<R>(work: (tx: Tx) => Promise<R>, options?: TransactionOptions): Promise<R>;
};

export type OutboxOptions<Tx extends Sql> = {
  prisma: Transactional<Tx> & Sql;
  amqp: Pick<Amqp, 'publish' | 'canPublish'>;
  log: Log;
  lifecycle: Lifecycle;
};

export type Outbox<Tx extends Sql> = {
  /** A transaction of the client; when `enqueue` was called in it, its messages leave right after the commit. */
  transaction<R>(work: (tx: Tx) => Promise<R>, options?: TransactionOptions): Promise<R>;
  /** Relays now, for what was committed in another way. */
  wake(): void;
};

/** How late a message leaves when nobody woke the relay: the process that committed it has died, or the broker was away. */
const POLL_MS = 500;

/**
 * Relays the outbox of this service's database to the broker, in every process that opens one, until the lifecycle
 * stops. While the broker is away nothing is claimed.
 */
export function createOutbox<Tx extends Sql>({
  prisma,
  amqp,
  log,
  lifecycle,
}: OutboxOptions<Tx>): Outbox<Tx> {
  const relay = createLoop({
    name: 'outbox',
    everyMs: POLL_MS,
    run: async () => {
      if (!amqp.canPublish()) return false;
      const { more } = await relayBatch(prisma, amqp.publish);
      return more;
    },
    log,
    lifecycle,
  });
  return {
    transaction: async (work, options) => {
      let speaks = false;
      const result = await prisma.$transaction(async (tx) => {
        const value = await work(tx);
        speaks = hasEnqueued(tx);
        return value;
      }, options);
      if (speaks) relay.wake();
      return result;
    },
    wake: relay.wake,
  };
}
