import { type QueueName, topology } from '@parley/contracts';
import type { Channel } from 'amqplib';
import { deadExchangeName, deadQueueName, exchangeName, queueName } from './names.ts';

/**
 * The broker's delivery limit, for messages that kill their consumers. Lost connections count as well, so it is far above the number
 * of attempts that the consumer counts.
 */
const DELIVERY_LIMIT = 20;

/** By default RabbitMQ 4 drops a message after 20 deliveries, and inspecting a dead letter counts. */
const DEAD_LETTER_DELIVERY_LIMIT = 1_000_000;

/**
 * Declares every queue of the platform, so that messages are queued even before their consumer has started for the first time.
 * Idempotent.
 */
export async function declareTopology(channel: Channel, prefix: string): Promise<void> {
  await declareExchanges(channel, prefix);
  for (const queue of Object.keys(topology) as QueueName[]) await declareQueue(channel, prefix, queue);
}

/** Declares one queue with its dead-letter queue, for its consumer. */
export async function declareConsumed(channel: Channel, prefix: string, queue: QueueName): Promise<void> {
  await declareExchanges(channel, prefix);
  await declareQueue(channel, prefix, queue);
}

export async function declareExchanges(channel: Channel, prefix: string): Promise<void> {
  await channel.assertExchange(exchangeName(prefix), 'topic', { durable: true });
  await channel.assertExchange(deadExchangeName(prefix), 'direct', { durable: true });
}

/** Arguments of a queue and of its dead-letter queue. */
export function argumentsOf(prefix: string, queue: QueueName): { own: object; dead: object } {
  return {
    own: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': DELIVERY_LIMIT,
      'x-dead-letter-exchange': deadExchangeName(prefix),
      'x-dead-letter-routing-key': queueName(prefix, queue),
      // A dead letter is removed once its new queue has confirmed it, for which the broker requires reject-publish.
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    },
    dead: { 'x-queue-type': 'quorum', 'x-delivery-limit': DEAD_LETTER_DELIVERY_LIMIT },
  };
}

async function declareQueue(channel: Channel, prefix: string, queue: QueueName): Promise<void> {
  const name = queueName(prefix, queue);
  const dead = deadQueueName(prefix, queue);
  const given = argumentsOf(prefix, queue);
  await channel.assertQueue(dead, { durable: true, arguments: given.dead });
  await channel.bindQueue(dead, deadExchangeName(prefix), name);
  await channel.assertQueue(name, { durable: true, arguments: given.own });
  for (const type of topology[queue].types) await channel.bindQueue(name, exchangeName(prefix), type);
}
