import { setMaxListeners } from 'node:events';
import type { Message, MessageType, QueueName, topology } from '@parley/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import { declareConsumed } from './declare-topology.ts';
import { createLink } from './link.ts';
import { deadQueueName, queueName } from './names.ts';
import type { Session } from './session.ts';
import { settle } from './settle.ts';

export type HandlerContext = {
  /** Carries message, type, workspace and request id. */
  log: Log;
};

/** Handles one message, idempotently: resolving acknowledges it, throwing is judged by `ackDecision`. */
export type Handler<T extends MessageType = MessageType> = (
  message: Message<T>,
  context: HandlerContext,
) => Promise<void>;

/** A handler for each type that is bound to the queue. */
export type Handlers<Q extends QueueName> = {
  [T in (typeof topology)[Q]['types'][number]]: Handler<T>;
};

export type ConsumerOptions<Q extends QueueName> = {
  queue: Q;
  handlers: Handlers<Q>;
  /** How many messages are in hand at once; 16. */
  prefetch?: number;
  /** How often a message is handled before it is a dead letter; 5. */
  tries?: number;
};

export type Consumer = {
  isUp(): boolean;
  /** How many messages wait in the queue, and how many are its dead letters. Rejects while the broker is away. */
  depth(): Promise<{ ready: number; dead: number }>;
  stop(): Promise<void>;
};

type Options<Q extends QueueName> = ConsumerOptions<Q> & {
  url: string;
  prefix: string;
  log: Log;
  handled?: Histogram<'queue' | 'type' | 'outcome'> | undefined;
};

/**
 * Consumes a queue for as long as the process lives, over lost connections, closed channels and cancelled consumers.
 * Stopping takes no new message, waits for the handlers, sends their acknowledgements, then closes.
 */
export function createConsumer<Q extends QueueName>(options: Options<Q>): Consumer {
  const { url, prefix, queue, handlers, handled, prefetch = 16, tries = 5 } = options;
  const log = options.log.child({ queue });
  const name = queueName(prefix, queue);
  const inHand = new Set<Promise<void>>();
  const stopping = new AbortController();
  let consumerTag = '';

  const take = async (delivery: ConsumeMessage, session: Session, signal: AbortSignal): Promise<void> => {
    const startedMs = monotonicMs();
    const outcome = await settle({ delivery, handlers, tries, log, signal });
    handled?.observe(
      { queue, type: knownType(delivery, handlers), outcome },
      (monotonicMs() - startedMs) / 1_000,
    );
    // What was delivered by a lost session comes again, and so does what is let go.
    if (session.lost.aborted || outcome === 'let go') return;
    if (outcome === 'ack') session.channel.ack(delivery);
    else session.channel.nack(delivery, false, false);
  };

  const hold = (taken: Promise<void>): void => {
    const work = taken
      .catch((err: unknown) => log.error({ err }, 'message could not be settled'))
      .finally(() => inHand.delete(work));
    inHand.add(work);
  };

  const link = createLink({
    url,
    name: `${name} consumer`,
    log,
    setup: async (channel, session) => {
      await declareConsumed(channel, prefix, queue);
      await channel.prefetch(prefetch);
      const signal = AbortSignal.any([stopping.signal, session.lost]);
      setMaxListeners(prefetch, signal);
      const onDelivery = (delivery: ConsumeMessage | null): void => {
        if (!delivery) session.abandon('consumer was cancelled by the broker');
        else if (!stopping.signal.aborted) hold(take(delivery, session, signal));
      };
      ({ consumerTag } = await channel.consume(name, onDelivery));
    },
  });

  return {
    isUp: () => link.session() !== undefined,
    depth: async () => {
      const channel = link.session()?.channel;
      if (!channel) throw new Error('the broker is away');
      const [own, dead] = await Promise.all([
        channel.checkQueue(name),
        channel.checkQueue(deadQueueName(prefix, queue)),
      ]);
      return { ready: own.messageCount, dead: dead.messageCount };
    },
    stop: async () => {
      stopping.abort(new Error('consumer stops'));
      await link
        .session()
        ?.channel.cancel(consumerTag)
        .catch(() => {});
      await Promise.all(inHand);
      await link.close();
    },
  };
}

/** What a message says of itself labels a metric only where it is one of the contract's. */
function knownType({ properties }: ConsumeMessage, handlers: object): string {
  const type = String(properties.type);
  return Object.hasOwn(handlers, type) ? type : 'unknown';
}
