import { setMaxListeners } from 'node:events';
import type { Message, MessageType, QueueName, topology } from '@parley/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import { declareConsumed } from './declare-topology.ts';
import { handleDelivery, type ReadContent, type Redact } from './handle-delivery.ts';
import { createLink } from './link.ts';
import { deadQueueName, queueName } from './names.ts';
import type { Session } from './session.ts';

type HandlerContext = {
  /** Carries message, type, workspace and request id. */
  log: Log;
};

/** Handles one message, idempotently. Success acknowledges it; for errors `ackDecision` decides. */
type Handler<T extends MessageType = MessageType> = (
  message: Message<T>,
  context: HandlerContext,
) => Promise<void>;

/** One handler per message type bound to the queue. */
type Handlers<Q extends QueueName> = {
  [T in (typeof topology)[Q]['types'][number]]: Handler<T>;
};

export type ConsumerOptions<Q extends QueueName> = {
  queue: Q;
  handlers: Handlers<Q>;
  /** Maximum number of messages handled concurrently; 16 by default. */
  prefetch?: number;
  /** Reads messages that are published by reference (`MAX_MESSAGE_BYTES`). */
  readContent?: ReadContent;
  /** Attempts before a message becomes a dead letter; 5 by default. */
  tries?: number;
};

export type Consumer = {
  isUp(): boolean;
  /** The number of messages in the queue and of its dead letters. Rejects while the broker is unavailable. */
  depth(): Promise<{ ready: number; dead: number }>;
  stop(): Promise<void>;
};

type Options<Q extends QueueName> = ConsumerOptions<Q> & {
  url: string;
  prefix: string;
  declares: boolean;
  log: Log;
  redact?: Redact | undefined;
  handled?: Histogram<'queue' | 'type' | 'outcome'> | undefined;
};

/**
 * Consumes a queue until it is stopped, across lost connections, closed channels and cancelled consumers. `stop` accepts no new
 * message, waits for the handlers, sends their acknowledgements and closes the connection.
 */
export function createConsumer<Q extends QueueName>(options: Options<Q>): Consumer {
  const {
    url,
    prefix,
    declares,
    queue,
    handlers,
    readContent,
    redact,
    handled,
    prefetch = 16,
    tries = 5,
  } = options;
  const log = options.log.child({ queue });
  const name = queueName(prefix, queue);
  const inFlight = new Set<Promise<void>>();
  const stopping = new AbortController();
  let consumerTag = '';

  const handle = async (delivery: ConsumeMessage, session: Session, signal: AbortSignal): Promise<void> => {
    const startedMs = monotonicMs();
    const outcome = await handleDelivery({ delivery, handlers, readContent, redact, tries, log, signal });
    handled?.observe(
      { queue, type: knownType(delivery, handlers), outcome },
      (monotonicMs() - startedMs) / 1_000,
    );
    // Deliveries of a lost session and released ones are redelivered.
    if (session.lost.aborted || outcome === 'released') return;
    if (outcome === 'ack') session.channel.ack(delivery);
    else session.channel.nack(delivery, false, false);
  };

  const track = (handling: Promise<void>): void => {
    const work = handling
      .catch((err: unknown) => log.error({ err }, 'message could not be acknowledged'))
      .finally(() => inFlight.delete(work));
    inFlight.add(work);
  };

  const link = createLink({
    url,
    name: `${name} consumer`,
    log,
    setup: async (channel, session) => {
      if (declares) await declareConsumed(channel, prefix, queue);
      await channel.prefetch(prefetch);
      const signal = AbortSignal.any([stopping.signal, session.lost]);
      setMaxListeners(prefetch, signal);
      const onDelivery = (delivery: ConsumeMessage | null): void => {
        if (!delivery) session.abandon('consumer was cancelled by the broker');
        else if (!stopping.signal.aborted) track(handle(delivery, session, signal));
      };
      ({ consumerTag } = await channel.consume(name, onDelivery));
    },
  });

  return {
    isUp: () => link.session() !== undefined,
    depth: async () => {
      const channel = link.session()?.channel;
      if (!channel) throw new Error('the broker is unavailable');
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
      await Promise.all(inFlight);
      await link.close();
    },
  };
}

/** Only message types in the contract become metric labels. */
function knownType({ properties }: ConsumeMessage, handlers: object): string {
  const type = String(properties.type);
  return Object.hasOwn(handlers, type) ? type : 'unknown';
}
