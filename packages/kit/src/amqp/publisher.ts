import { type MessageType, topology } from '@parley/contracts';
import type { ConfirmChannel } from 'amqplib';
import { AppError } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { realTimer } from '../time/index.ts';
import { declareTopology } from './declare-topology.ts';
import { createLink } from './link.ts';
import { exchangeName } from './names.ts';
import type { Session } from './session.ts';

export type Publication = {
  /** Of the envelope: what its consumers tell repetitions by. */
  id: string;
  type: string;
  /** The envelope as JSON. */
  payload: string;
  /** W3C trace context of whoever caused it. */
  traceparent?: string | undefined;
};

export type Publisher = {
  publish(publication: Publication): Promise<void>;
  isUp(): boolean;
  close(): Promise<void>;
};

const CONFIRM_TIMEOUT_MS = 10_000;
const HEARD = new Set<string>(Object.values(topology).flatMap(({ types }): readonly MessageType[] => types));

/** Publishes on a connection of its own: the broker blocks publishers when it is full, and consumers must go on. */
export function createPublisher({ url, prefix, log }: { url: string; prefix: string; log: Log }): Publisher {
  const exchange = exchangeName(prefix);
  /** Ids that the broker handed back as unroutable; its confirm follows at once. */
  const returned = new Set<string>();

  const link = createLink({
    url,
    name: `${prefix} publisher`,
    log,
    setup: async (channel) => {
      returned.clear();
      channel.on('return', ({ properties }) => returned.add(String(properties.messageId)));
      await declareTopology(channel, prefix);
    },
  });

  /** Whether the confirmed message reached all the queues it should. A type nobody listens to is said to the void. */
  const arrived = ({ id, type }: Publication): boolean => !returned.delete(id) || !HEARD.has(type);

  const publish = async (publication: Publication): Promise<void> => {
    const session = link.session();
    if (!session) throw unavailable();
    await confirmed(session, exchange, publication);
    if (!arrived(publication)) {
      // Somebody removed a queue. The next session declares it again, and the message is published once more.
      session.abandon(`no queue takes ${publication.type}`);
      throw unavailable();
    }
  };

  return { publish, isUp: () => link.session() !== undefined, close: link.close };
}

function confirmed(session: Session, exchange: string, publication: Publication): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = realTimer(CONFIRM_TIMEOUT_MS, () => {
      session.abandon('a confirm is missing');
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
      done(err);
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
    mandatory: true,
    headers: traceparent === undefined ? {} : { traceparent },
  };
  channel.publish(exchange, type, Buffer.from(payload), options, done);
}

function unavailable(cause?: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', 'The message broker is not available', { cause });
}
