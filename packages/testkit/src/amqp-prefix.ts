import { randomUUID } from 'node:crypto';
import { type QueueName, topology } from '@parley/contracts';
import { deadExchangeName, deadQueueName, exchangeName, queueName } from '@parley/kit/amqp';
import { connect } from 'amqplib';
import { amqpUrl } from './addresses.ts';
import { leftBehindPrefixes, register, unregister } from './prefix-register.ts';

export type AmqpPrefix = {
  prefix: string;
  /** Removes the queues and exchanges with this prefix, and those of test processes that were killed. */
  remove(): Promise<void>;
};

/** A prefix for one test file, so that files share a broker without sharing messages. */
export function amqpPrefix(): AmqpPrefix {
  const prefix = `test-${randomUUID()}`;
  register(prefix);
  return {
    prefix,
    remove: async () => {
      for (const name of [prefix, ...(await leftBehindPrefixes())]) {
        await removePrefix(name);
        await unregister(name);
      }
    },
  };
}

/** Removes the queues and exchanges with the prefix. */
export async function removePrefix(prefix: string, url: string = amqpUrl()): Promise<void> {
  const connection = await connect(url, { noDelay: true });
  try {
    const channel = await connection.createChannel();
    for (const queue of Object.keys(topology) as QueueName[]) {
      await channel.deleteQueue(queueName(prefix, queue));
      await channel.deleteQueue(deadQueueName(prefix, queue));
    }
    await channel.deleteExchange(exchangeName(prefix));
    await channel.deleteExchange(deadExchangeName(prefix));
  } finally {
    await connection.close();
  }
}
