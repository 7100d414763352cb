import type { QueueName } from '@parley/contracts';

/** The exchange of all messages; the routing key is the message type. */
export function exchangeName(prefix: string): string {
  return `${prefix}.events`;
}

/** The dead-letter exchange; the routing key is the name of the original queue. */
export function deadExchangeName(prefix: string): string {
  return `${prefix}.dead`;
}

export function queueName(prefix: string, queue: QueueName): string {
  return `${prefix}.${queue}`;
}

/** The dead-letter queue of a queue. */
export function deadQueueName(prefix: string, queue: QueueName): string {
  return `${queueName(prefix, queue)}.dead`;
}
