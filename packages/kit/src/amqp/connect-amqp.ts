import type { QueueName } from '@parley/contracts';
import type { Lifecycle } from '../lifecycle/index.ts';
import type { Log } from '../log/index.ts';
import type { Metrics } from '../observability/index.ts';
import { createBusMetrics } from './bus-metrics.ts';
import { type Consumer, type ConsumerOptions, createConsumer } from './consumer.ts';
import type { Redact } from './handle-delivery.ts';
import { createPublisher, type Publication } from './publisher.ts';
import { type RewriteOptions, type Rewritten, rewriteDeadLetters } from './rewrite-dead-letters.ts';
import { createWatcher, type WatchOptions } from './watcher.ts';

export type AmqpOptions = {
  url: string;
  /** `AMQP_PREFIX`: the prefix of all exchanges and queues. */
  prefix: string;
  /** False: queues and exchanges exist already, and the user may not declare them. True by default. */
  declares?: boolean;
  log: Log;
  lifecycle: Lifecycle;
  /** Measures messages and queues. */
  metrics?: Metrics;
  /** Removes erased data from a message (`ErasedNumbers`); called before each attempt. */
  redact?: Redact;
};

export type Amqp = {
  /**
   * Publishes a persistent message and resolves when the broker has confirmed it for every queue of its type. Rejects with
   * `SERVICE_UNAVAILABLE` (a connectivity error) otherwise, though the message may have arrived. Only the outbox and change notes call it.
   */
  publish(publication: Publication): Promise<void>;
  /** Whether the publisher is connected, set up and not blocked. */
  canPublish(): boolean;
  /** Starts a consumer of the queue, as soon as the broker is available. It stops with the lifecycle. */
  consume<Q extends QueueName>(options: ConsumerOptions<Q>): void;
  /** Watches messages without consuming them: every process that watches gets all of them. Stops with the lifecycle. */
  watch(options: WatchOptions): void;
  /** Rewrites a part of a queue's dead letters. Rejects while the broker is unavailable. */
  rewriteDeadLetters(options: RewriteOptions): Promise<Rewritten>;
  /** For readiness: the publisher and all consumers are connected. */
  isUp(): boolean;
};

/**
 * The process's client of RabbitMQ: one topic exchange, and a quorum queue per service and concern. Returns at once, also while the
 * broker is unavailable, and never throws because of it.
 */
export function connectAmqp(options: AmqpOptions): Amqp {
  const { url, prefix, declares = true, log, lifecycle, metrics, redact } = options;
  const broker = { url, prefix, declares, log };
  const publisher = createPublisher(broker);
  const consumers: Consumer[] = [];
  lifecycle.onStop('amqp publisher', publisher.close);
  const isUp = (): boolean => publisher.isUp() && consumers.every((consumer) => consumer.isUp());
  const measures = metrics && createBusMetrics(metrics, isUp);
  return {
    publish: publisher.publish,
    canPublish: publisher.isUp,
    consume: (options) => {
      const consumer = createConsumer({ ...options, ...broker, redact, handled: measures?.handled });
      consumers.push(consumer);
      measures?.watch(options.queue, consumer.depth);
      lifecycle.onStop(`amqp consumer ${options.queue}`, consumer.stop);
    },
    watch: (options) => {
      const watcher = createWatcher(options, broker);
      lifecycle.onStop('amqp watcher', watcher.close);
    },
    rewriteDeadLetters: (options) => rewriteDeadLetters(broker, options),
    isUp,
  };
}
