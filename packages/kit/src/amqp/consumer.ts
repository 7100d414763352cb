import { setMaxListeners } from 'node:events';
import type { Message, MessageType, QueueName, topology } from '@parley/contracts';
import type { ConfirmChannel, ConsumeMessage } from 'amqplib';
import type { Histogram } from 'prom-client';
import type { Log } from '../log/index.ts';
import { monotonicMs } from '../time/index.ts';
import { declareConsumed } from './declare-topology.ts';
import { handleDelivery, type ReadContent, type Redact } from './handle-delivery.ts';
import { createLink } from './link.ts';
import { deadQueueName, queueName } from './names.ts';
import { createReferenceTurns } from './reference-turns.ts';
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
  /** Maximum number of messages handled concurrently, without those that wait as references; 16 by default. */
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
 * References that wait for their turn in this process, besides those of the last `prefetch`. Not more: a crash counts as a delivery of each of
 * them, also of those that were never tried, and the broker has a limit of deliveries.
 */
const MAX_REFERENCES = 100;

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
  const inTurn = createReferenceTurns();
  let consumerTag = '';
  /** References that are not acknowledged. */
  let references = 0;
  /** Those of the broker's current consumer. */
  let current = { references: 0 };
  let replacing: Promise<void> | undefined;

  const handle = async (
    delivery: ConsumeMessage,
    session: Session,
    { signal, onReference }: { signal: AbortSignal; onReference: () => void },
  ): Promise<void> => {
    const startedMs = monotonicMs();
    const options = { delivery, handlers, readContent, redact, tries, log, signal };
    const outcome = await handleDelivery({ ...options, inTurn, onReference });
    handled?.observe(
      { queue, type: knownType(delivery, handlers), outcome },
      (monotonicMs() - startedMs) / 1_000,
    );
    // Deliveries of a lost session and released ones are redelivered.
    if (session.lost.aborted || outcome === 'released') return;
    if (outcome === 'ack') session.channel.ack(delivery);
    else session.channel.nack(delivery, false, false);
  };

  const track = (handling: Promise<void>, onDone: () => void): void => {
    const work = handling
      .catch((err: unknown) => log.error({ err }, 'message could not be acknowledged'))
      .finally(() => {
        inFlight.delete(work);
        onDone();
      });
    inFlight.add(work);
  };

  /**
   * References that wait for their turn must not hold back other messages. The broker limits the unacknowledged messages of each of its
   * consumers: if references take half of them, a new consumer replaces this one, whose messages can still be acknowledged.
   */
  const replaceIfFull = (channel: ConfirmChannel, session: Session): void => {
    const others = inFlight.size - references;
    const isFull = current.references >= prefetch / 2 && others <= prefetch / 2;
    const isOver = stopping.signal.aborted || session.lost.aborted;
    if (replacing || isOver || !isFull || references >= MAX_REFERENCES) return;
    const replace = async (): Promise<void> => {
      await channel.cancel(consumerTag);
      if (!stopping.signal.aborted) await consume(channel, session);
    };
    replacing = replace()
      .catch(() => session.abandon('consumer could not be replaced'))
      .finally(() => {
        replacing = undefined;
        replaceIfFull(channel, session);
      });
  };

  const consume = async (channel: ConfirmChannel, session: Session): Promise<void> => {
    const signal = AbortSignal.any([stopping.signal, session.lost]);
    setMaxListeners(prefetch + MAX_REFERENCES, signal);
    const own = { references: 0 };
    current = own;
    const onDelivery = (delivery: ConsumeMessage): void => {
      let isReference = false;
      const onReference = (): void => {
        isReference = true;
        own.references += 1;
        references += 1;
      };
      track(handle(delivery, session, { signal, onReference }), () => {
        if (isReference) {
          own.references -= 1;
          references -= 1;
        }
        replaceIfFull(channel, session);
      });
      replaceIfFull(channel, session);
    };
    ({ consumerTag } = await channel.consume(name, (delivery) => {
      if (!delivery) session.abandon('consumer was cancelled by the broker');
      else if (!stopping.signal.aborted) onDelivery(delivery);
    }));
  };

  const link = createLink({
    url,
    name: `${name} consumer`,
    log,
    setup: async (channel, session) => {
      if (declares) await declareConsumed(channel, prefix, queue);
      await channel.prefetch(prefetch);
      await consume(channel, session);
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
      await replacing;
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
