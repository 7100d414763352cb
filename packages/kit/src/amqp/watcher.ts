import type { MessageType } from '@parley/contracts';
import type { ConfirmChannel } from 'amqplib';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import { declareExchanges } from './declare-topology.ts';
import { createLink } from './link.ts';
import { deadExchangeName, exchangeName } from './names.ts';
import type { Session } from './session.ts';

export type WatchOptions = {
  types: readonly MessageType[];
  /** Gets each message as its JSON. Messages may be missed and are never repeated. */
  onMessage: (body: Buffer) => void;
  /** Called whenever watching begins or goes on: messages before it, since the last call, may have been missed. */
  onConnected: () => void;
  /**
   * Called while the broker is unavailable, with each attempt to connect: messages are missed. Also called when it blocks publishers because
   * its memory or disk is full: messages are late.
   */
  onLost: () => void;
};

/** The broker tells only connections that publish that it blocks publishers. */
const PROBE_MS = 5_000;
const NOTHING = Buffer.alloc(0);

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
    onBlocked: (isBlocked) => (isBlocked ? onLost() : onConnected()),
    setup: async (channel, session) => {
      if (declares) await declareExchanges(channel, prefix);
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
      probe(channel, session, deadExchangeName(prefix));
    },
  });
}

/** Publishes to an exchange that may be written to, with a key that no queue is bound to: the broker drops it. */
function probe(channel: ConfirmChannel, session: Session, exchange: string): void {
  if (!session.isBlocked()) channel.publish(exchange, '', NOTHING);
  const cancel = realTimer(PROBE_MS, () => {
    session.lost.removeEventListener('abort', cancel);
    probe(channel, session, exchange);
  });
  session.lost.addEventListener('abort', cancel, { once: true });
}
