import { randomUUID } from 'node:crypto';
import {
  type Message,
  type MessageData,
  type MessageType,
  parseMessage,
  type QueueName,
} from '@parley/contracts';
import { deadQueueName, declareTopology, exchangeName } from '@parley/kit/amqp';
import { type ConfirmChannel, connect } from 'amqplib';
import { amqpUrl } from './addresses.ts';

export type Envelope = { id?: string; occurred_at?: string; request_id?: string };

export type TestBus = {
  /** Says something as another service would; resolves to the message's id when the broker has it in every queue. */
  publish<T extends MessageType>(
    type: T,
    workspaceId: string,
    data: MessageData<T>,
    envelope?: Envelope,
  ): Promise<string>;
  /** Puts bytes of any kind on the exchange. */
  publishRaw(routingKey: string, content: string): Promise<void>;
  /** What was said by anybody since the bus was opened, as it was understood, in the order of arrival. */
  heard<T extends MessageType>(type: T): Message<T>[];
  /** The bodies in the queue's dead letters; they stay there. */
  deadLetters(queue: QueueName): Promise<string[]>;
  close(): Promise<void>;
};

/** Every other service, seen from the one under test: declares all queues of the prefix, says things, hears all. */
export async function testBus(prefix: string): Promise<TestBus> {
  const connection = await connect(amqpUrl(), { noDelay: true });
  const channel = await connection.createConfirmChannel();
  await declareTopology(channel, prefix);
  const messages = await listen(channel, prefix);

  const publishRaw = async (routingKey: string, content: string): Promise<void> => {
    channel.publish(exchangeName(prefix), routingKey, Buffer.from(content), { persistent: true });
    await channel.waitForConfirms();
  };

  return {
    publish: async (type, workspaceId, data, envelope = {}) => {
      const id = envelope.id ?? randomUUID();
      const occurred_at = new Date().toISOString();
      const message = { occurred_at, ...envelope, id, type, workspace_id: workspaceId, data };
      parseMessage(message); // A test that says what the contract doesn't allow proves nothing.
      await publishRaw(type, JSON.stringify(message));
      return id;
    },
    publishRaw,
    heard: <T extends MessageType>(type: T) =>
      messages.filter((message) => message.type === type) as Message<T>[],
    deadLetters: (queue) => peek(channel, deadQueueName(prefix, queue)),
    close: () => connection.close(),
  };
}

async function listen(channel: ConfirmChannel, prefix: string): Promise<Message[]> {
  const messages: Message[] = [];
  const { queue } = await channel.assertQueue('', { exclusive: true });
  await channel.bindQueue(queue, exchangeName(prefix), '#');
  await channel.consume(
    queue,
    (delivery) => {
      const message = delivery && understood(delivery.content.toString('utf8'));
      if (message) messages.push(message);
    },
    { noAck: true },
  );
  return messages;
}

function understood(content: string): Message | undefined {
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
