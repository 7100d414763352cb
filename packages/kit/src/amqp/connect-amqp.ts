import type { QueueName } from '@parley/contracts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { createBusMetrics } from './bus-metrics.ts';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer.ts';
import { createPublisher, type Publication } from './publisher.ts';

export type AmqpOptions = {
  url: string;
  /** `AMQP_PREFIX`: begins the names of all exchanges and queues. */
  prefix: string;
  log: Log;
  lifecycle: Lifecycle;
  /** Where messages and queues are measured. */
  metrics?: Metrics;
};

export type Amqp = {
  /**
   * Publishes persistently and resolves when the broker has it on disk in every queue that is bound to its type.
   * Rejects with `SERVICE_UNAVAILABLE` (a connectivity error) otherwise; the message may have arrived all the same.
   * The outbox alone calls it.
   */
  publish(publication: Publication): Promise<void>;
  /** Whether publishing stands a chance: connected, declared, not blocked. */
  canPublish(): boolean;
  /** Starts a consumer of the queue, now or as soon as the broker is there. It stops with the lifecycle. */
  consume<Q extends QueueName>(options: ConsumerOptions<Q>): void;
  /** For readiness: the publisher and all consumers are connected. */
  isUp(): boolean;
};

/**
 * The process's part in the message bus (D9.1's stack: one topic exchange, a quorum queue per consumer and concern).
 * Returns at once, also when the broker is away, and never throws or ends the process because of it.
 */
export function connectAmqp({ url, prefix, log, lifecycle, metrics }: AmqpOptions): Amqp {
  const publisher = createPublisher({ url, prefix, log });
  const consumers: Consumer[] = [];
  lifecycle.onStop('amqp publisher', publisher.close);
  const isUp = (): boolean => publisher.isUp() && consumers.every((consumer) => consumer.isUp());
  const measures = metrics && createBusMetrics(metrics, isUp);
  return {
    publish: publisher.publish,
    canPublish: publisher.isUp,
    consume: (options) => {
      const consumer = createConsumer({ ...options, url, prefix, log, handled: measures?.handled });
      consumers.push(consumer);
      measures?.watch(options.queue, consumer.depth);
      lifecycle.onStop(`amqp consumer ${options.queue}`, consumer.stop);
    },
    isUp,
  };
}
