import { type MessageType, topology } from '@parley/contracts';
import type { ConfirmChannel } from 'amqplib';
import { AppError } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { realNow, realTimer } from '../time/index.ts';
import { declareTopology } from './declare-topology.ts';
import { createLink } from './link.ts';
import { exchangeName } from './names.ts';
import { MessageRefusedError, refusalOf } from './refusal.ts';
import { CONFIRM_TIMEOUT_MS, type Session } from './session.ts';

export type Publication = {
  /** The id of the envelope, by which consumers recognize a repetition. */
  id: string;
  type: string;
  /** The envelope as JSON. */
  payload: string;
  /** W3C trace context of its cause. */
  traceparent?: string | undefined;
};

export type Publisher = {
  publish(publication: Publication): Promise<void>;
  isUp(): boolean;
  close(): Promise<void>;
};

const CONSUMED = new Set<string>(
  Object.values(topology).flatMap(({ types }): readonly MessageType[] => types),
);

/** Publishes on a connection of its own: when the broker is full it blocks publishers, and consumers must continue. */
export function createPublisher({
  url,
  prefix,
  declares,
  log,
}: {
  url: string;
  prefix: string;
  declares: boolean;
  log: Log;
}): Publisher {
  const exchange = exchangeName(prefix);
  /** Ids that the broker returned as unroutable; the confirm follows at once. */
  const returned = new Set<string>();

  const link = createLink({
    url,
    name: `${prefix} publisher`,
    log,
    setup: async (channel) => {
      returned.clear();
      channel.on('return', ({ properties }) => returned.add(String(properties.messageId)));
      if (declares) await declareTopology(channel, prefix);
      else await channel.checkExchange(exchange);
    },
  });

  /** Whether a confirmed message reached its queues. Types without a consumer have none. */
  const isRouted = ({ id, type }: Publication): boolean => !returned.delete(id) || !CONSUMED.has(type);

  const publish = async (publication: Publication): Promise<void> => {
    const session = link.session();
    if (!session) throw unavailable();
    await confirmed(session, exchange, publication).catch(async (err: unknown) => {
      throw (await refusalOf(session)) ?? err;
    });
    if (!isRouted(publication)) {
      // A queue was deleted. The next session declares it again, and the outbox publishes the message again.
      session.abandon(`no queue is bound to ${publication.type}`);
      throw unavailable();
    }
  };

  return { publish, isUp: () => link.session() !== undefined, close: link.close };
}

function confirmed(session: Session, exchange: string, publication: Publication): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = realTimer(CONFIRM_TIMEOUT_MS, () => {
      session.abandon('confirm timed out');
      reject(unavailable());
    });
    const done = (err: unknown): void => {
      cancel();
      if (err) reject(unavailable(err));
      else resolve();
    };
    try {
      send(session.channel, exchange, publication, done);
    } catch (err) {
      // The message can't be encoded, such as a routing key that is too long. The channel stays open.
      cancel();
      reject(session.lost.aborted ? unavailable(err) : new MessageRefusedError(err));
    }
  });
}

function send(
  channel: ConfirmChannel,
  exchange: string,
  { id, type, payload, traceparent }: Publication,
  done: (err: unknown) => void,
): void {
  const options = {
    messageId: id,
    type,
    contentType: 'application/json',
    persistent: true,
    timestamp: Math.floor(realNow().getTime() / 1_000),
    mandatory: true,
    headers: traceparent === undefined ? {} : { traceparent },
  };
  channel.publish(exchange, type, Buffer.from(payload), options, done);
}

function unavailable(cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The message broker is not available', { cause });
}
