import { randomUUID } from 'node:crypto';
import {
  type Message,
  type MessageData,
  type MessageType,
  parseMessage,
  type QueueName,
  type ServiceName,
  topology,
} from '@parley/contracts';
import { deadQueueName, declareConsumed, declareTopology, exchangeName } from '@parley/kit/amqp';
import { type ConfirmChannel, connect } from 'amqplib';
import { amqpUrl } from './addresses.ts';

type Envelope = { id?: string; occurred_at?: string; request_id?: string };

export type TestBus = {
  /** Publishes a message as another service; resolves to its id when the broker has confirmed it. */
  publish<T extends MessageType>(
    type: T,
    workspaceId: string,
    data: MessageData<T>,
    envelope?: Envelope,
  ): Promise<string>;
  /** Publishes any content. */
  publishRaw(routingKey: string, content: string): Promise<void>;
  /** All valid messages of a type since the bus was opened, in the order of arrival. */
  received<T extends MessageType>(type: T): Message<T>[];
  /** The bodies of the queue's dead letters, which stay in it. */
  deadLetters(queue: QueueName): Promise<string[]>;
  close(): Promise<void>;
};

/** Set for a service whose queues `busOf` has declared. */
export const QUEUES_PROVIDED = { AMQP_TOPOLOGY: 'provided' } as const;

/** Stands in for all other services: declares all queues of the prefix, publishes, and receives every message. */
export function testBus(prefix: string, url: string = amqpUrl()): Promise<TestBus> {
  return openBus(prefix, url, declareTopology);
}

/**
 * The same for a test of one service, whose queues alone it declares: a quorum queue costs the broker ten milliseconds of processor time, and
 * there are sixteen. Messages to others reach the bus.
 */
export function busOf(service: ServiceName, prefix: string): Promise<TestBus> {
  const own = (Object.keys(topology) as QueueName[]).filter((queue) => topology[queue].service === service);
  return openBus(prefix, amqpUrl(), async (channel) => {
    for (const queue of own) await declareConsumed(channel, prefix, queue);
  });
}

async function openBus(
  prefix: string,
  url: string,
  declare: (channel: ConfirmChannel, prefix: string) => Promise<void>,
): Promise<TestBus> {
  const connection = await connect(url, { noDelay: true });
  const channel = await connection.createConfirmChannel();
  await declare(channel, prefix);
  const messages = await subscribe(channel, prefix);

  const publishRaw = async (routingKey: string, content: string): Promise<void> => {
    channel.publish(exchangeName(prefix), routingKey, Buffer.from(content), { persistent: true });
    await channel.waitForConfirms();
  };

  return {
    publish: async (type, workspaceId, data, envelope = {}) => {
      const id = envelope.id ?? randomUUID();
      const occurred_at = new Date().toISOString();
      const message = { occurred_at, ...envelope, id, type, workspace_id: workspaceId, data };
      parseMessage(message); // A test must not publish messages that violate the contract.
      await publishRaw(type, JSON.stringify(message));
      return id;
    },
    publishRaw,
    received: <T extends MessageType>(type: T) =>
      messages.filter((message) => message.type === type) as Message<T>[],
    deadLetters: (queue) => peek(channel, deadQueueName(prefix, queue)),
    close: () => connection.close(),
  };
}

async function subscribe(channel: ConfirmChannel, prefix: string): Promise<Message[]> {
  const messages: Message[] = [];
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, exchangeName(prefix), '#');
  await channel.consume(
    queue,
    (delivery) => {
      const message = delivery && parsed(delivery.content.toString('utf8'));
      if (message) messages.push(message);
    },
    { noAck: true },
  );
  return messages;
}

function parsed(content: string): Message | undefined {
  try {
    return parseMessage(JSON.parse(content));
  } catch {
    return undefined;
  }
}

async function peek(channel: ConfirmChannel, queue: string): Promise<string[]> {
  const bodies: string[] = [];
  for (let got = await channel.get(queue); got; got = await channel.get(queue)) {
    bodies.push(got.content.toString('utf8'));
  }
  channel.nackAll(true);
  return bodies;
}
