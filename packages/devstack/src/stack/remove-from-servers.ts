import { type QueueName, topology } from '@parley/contracts';
import { deadExchangeName, deadQueueName, exchangeName, queueName } from '@parley/kit/amqp';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { EnvironmentFile } from './environment.ts';
import { SERVICES } from './services.ts';

type Print = (line: string) => void;

const TIMEOUT_MS = 3_000;

/**
 * Removes the databases, queues and keys of a stack. An unreachable server is either a private one, whose data is in `.stack`, or has
 * to be cleaned up manually: it is reported.
 */
export async function removeFromServers({ stack, services }: EnvironmentFile, print: Print): Promise<void> {
  const { REDIS_URL = '', DATABASE_URL = '' } = services.gateway;
  const { AMQP_URL = '' } = services.telephony;
  await attempt('Postgres', print, () => dropDatabases(DATABASE_URL, stack));
  await attempt('RabbitMQ', print, () => deleteQueues(AMQP_URL, stack));
  await attempt('Redis', print, () => deleteKeys(REDIS_URL, stack));
}

async function attempt(server: string, print: Print, remove: () => Promise<string>): Promise<void> {
  try {
    print(`${server}: ${await remove()}`);
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    print(`${server} does not respond, nothing was removed there (${code ?? message})`);
  }
}

async function dropDatabases(serviceUrl: string, stack: string): Promise<string> {
  const url = new URL(serviceUrl);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href, connectionTimeoutMillis: TIMEOUT_MS });
  await client.connect();
  try {
    for (const name of SERVICES)
      await client.query(`DROP DATABASE IF EXISTS "${stack}_${name}" WITH (FORCE)`);
  } finally {
    await client.end();
  }
  return `databases ${stack}_* dropped`;
}

async function deleteQueues(url: string, stack: string): Promise<string> {
  const connection = await connect(url, { timeout: TIMEOUT_MS });
  try {
    const channel = await connection.createChannel();
    for (const queue of Object.keys(topology) as QueueName[]) {
      await channel.deleteQueue(queueName(stack, queue));
      await channel.deleteQueue(deadQueueName(stack, queue));
    }
    await channel.deleteExchange(exchangeName(stack));
    await channel.deleteExchange(deadExchangeName(stack));
  } finally {
    await connection.close();
  }
  return `queues ${stack}.* deleted`;
}

async function deleteKeys(url: string, stack: string): Promise<string> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    let cursor = '0';
    do {
      const [next, keys] = await client.scan(cursor, 'MATCH', `${stack}*`, 'COUNT', 1_000);
      if (keys.length > 0) await client.unlink(...keys);
      cursor = next;
    } while (cursor !== '0');
  } finally {
    client.disconnect();
  }
  return `keys ${stack}* deleted`;
}
