import { type QueueName, topology } from '@parley/contracts';
import type { Channel } from 'amqplib';
import { deadExchangeName, deadQueueName, exchangeName, queueName } from './names.ts';

/**
 * How often the broker hands a message out before it takes it for one that kills its consumers. Lost connections
 * count too, and are not the message's fault: tries are counted by the consumer, this is the guard behind it.
 */
const DELIVERY_LIMIT = 20;

/** From RabbitMQ 4 on, a quorum queue throws a message away after 20 deliveries unless told otherwise, and looking counts. */
const LOOKS_AT_A_DEAD_LETTER = 1_000_000;

/**
 * Declares every queue of the platform. Whoever starts first does it for all, so that a message which is published
 * before its consumer has ever run waits in its queue. Declaring what exists already changes nothing.
 */
export async function declareTopology(channel: Channel, prefix: string): Promise<void> {
  await declareExchanges(channel, prefix);
  for (const queue of Object.keys(topology) as QueueName[]) await declareQueue(channel, prefix, queue);
}

/** Declares one queue with its dead letters, for its consumer. */
export async function declareConsumed(channel: Channel, prefix: string, queue: QueueName): Promise<void> {
  await declareExchanges(channel, prefix);
  await declareQueue(channel, prefix, queue);
}

async function declareExchanges(channel: Channel, prefix: string): Promise<void> {
  await channel.assertExchange(exchangeName(prefix), 'topic', { durable: true });
  await channel.assertExchange(deadExchangeName(prefix), 'direct', { durable: true });
}

async function declareQueue(channel: Channel, prefix: string, queue: QueueName): Promise<void> {
  const name = queueName(prefix, queue);
  const dead = deadQueueName(prefix, queue);
  const kept = { 'x-queue-type': 'quorum', 'x-delivery-limit': LOOKS_AT_A_DEAD_LETTER };
  await channel.assertQueue(dead, { durable: true, arguments: kept });
  await channel.bindQueue(dead, deadExchangeName(prefix), name);
  await channel.assertQueue(name, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': DELIVERY_LIMIT,
      'x-dead-letter-exchange': deadExchangeName(prefix),
      'x-dead-letter-routing-key': name,
      // A dead letter leaves its queue only when the other has confirmed it; the broker demands reject-publish for it.
      'x-dead-letter-strategy': 'at-least-once',
      'x-overflow': 'reject-publish',
    },
  });
  for (const type of topology[queue].types) await channel.bindQueue(name, exchangeName(prefix), type);
}
