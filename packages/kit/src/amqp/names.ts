import type { QueueName } from '@parley/contracts';

/** The one exchange that every message goes through; its routing key is the message type. */
export function exchangeName(prefix: string): string {
  return `${prefix}.events`;
}

/** Where messages go that no try could handle; the routing key is the name of the queue they come from. */
export function deadExchangeName(prefix: string): string {
  return `${prefix}.dead`;
}

export function queueName(prefix: string, queue: QueueName): string {
  return `${prefix}.${queue}`;
}

/** Keeps the dead letters of a queue until a person looks at them. */
export function deadQueueName(prefix: string, queue: QueueName): string {
  return `${queueName(prefix, queue)}.dead`;
}
