import type { Histogram } from 'prom-client';
import { type Metrics, sampled } from '../observability/index.ts';
import type { Consumer } from './consumer.ts';

export type BusMetrics = {
  handled: Histogram<'queue' | 'type' | 'outcome'>;
  /** Adds a consumer and measures its queue. */
  watch(queue: string, depth: Consumer['depth']): void;
};

/** Duration and outcome of messages, the length of the queues, and whether the broker is connected. */
export function createBusMetrics(metrics: Metrics, isUp: () => boolean): BusMetrics {
  const queues = new Map<string, ReturnType<typeof sampled<{ ready: number; dead: number }>>>();
  metrics.gauge('parley_broker_up', 'Whether the publisher and all consumers are connected', [], (gauge) =>
    gauge.set(Number(isUp())),
  );
  metrics.gauge(
    'parley_queue_messages',
    'Messages in a queue of this service, and its dead letters',
    ['queue', 'kind'],
    async (gauge) => {
      const depths = await Promise.all(
        [...queues].map(async ([queue, sample]) => ({ queue, depth: await sample() })),
      );
      gauge.reset();
      for (const { queue, depth } of depths) {
        if (!depth) continue;
        gauge.set({ queue, kind: 'ready' }, depth.ready);
        gauge.set({ queue, kind: 'dead' }, depth.dead);
      }
    },
  );
  return {
    handled: metrics.histogram(
      'parley_message_duration_seconds',
      'Duration of handling a message, with its retries',
      ['queue', 'type', 'outcome'],
    ),
    watch: (queue, depth) => queues.set(queue, sampled(depth)),
  };
}
