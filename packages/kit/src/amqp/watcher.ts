import type { MessageType } from '@parley/contracts';
import type { Log } from '../log/index.ts';
import { createLink } from './link.ts';
import { exchangeName } from './names.ts';

export type WatchOptions = {
  types: readonly MessageType[];
  /** Gets each message as its JSON. Messages may be missed and are never repeated. */
  onMessage: (body: Buffer) => void;
  /** Called whenever watching begins: messages before it, since the last call, may have been missed. */
  onConnected: () => void;
  /** Called while the broker is unavailable, with each attempt to connect: messages are missed. */
  onLost: () => void;
};

/**
 * If a process can't keep up, the broker drops older messages. A message with the transcript of a long call may have megabytes, so
 * their total size is limited as well.
 */
export const WATCHING_QUEUE = {
  exclusive: true,
  autoDelete: true,
  durable: false,
  maxLength: 10_000,
  arguments: { 'x-max-length-bytes': 16 * 1024 ** 2 },
};

/**
 * Watches messages through an exclusive queue, which the broker deletes with the connection. For hints only: nothing is
 * acknowledged, redelivered or stored.
 */
export function createWatcher(
  { types, onMessage, onConnected, onLost }: WatchOptions,
  { url, prefix, declares, log }: { url: string; prefix: string; declares: boolean; log: Log },
) {
  const exchange = exchangeName(prefix);
  return createLink({
    url,
    name: `${prefix} watcher`,
    log,
    onLost,
    setup: async (channel, session) => {
      if (declares) await channel.assertExchange(exchange, 'topic', { durable: true });
      const { queue } = await channel.assertQueue('', WATCHING_QUEUE);
      for (const type of types) await channel.bindQueue(queue, exchange, type);
      const consume = { noAck: true, exclusive: true };
      await channel.consume(
        queue,
        (message) => {
          if (message) onMessage(message.content);
          else session.abandon('the watching queue was deleted');
        },
        consume,
      );
      onConnected();
    },
  });
}
