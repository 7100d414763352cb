import { once } from 'node:events';
import { backOffMs } from '../jobs/index.ts';
import { realSleep } from '../time/index.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

export type Link = {
  /** The session, unless the link is down or blocked. */
  session(): Session | undefined;
  close(): Promise<void>;
};

const BACK_OFF_MOST_MS = 3_000;

/**
 * A connection to the broker that comes back by itself, for ever.
 *
 * States: opening (connect, open a channel, set it up) → up → lost (socket, connection or channel closed by whomever,
 * or abandoned) → a pause with jitter, 100 ms to 3 s → opening. `close` ends it from every state. One channel per
 * connection, so that losing either is the same and one kind of recovery is enough; amqplib's own isn't used
 * because it never comes back when the socket dies during a closing handshake.
 */
export function createLink(options: SessionOptions): Link {
  const { name, log } = options;
  const closing = new AbortController();
  let current: Session | undefined;
  let failures = 0;

  /** Lives as long as the session; throws what ended it. */
  const runSession = async (): Promise<void> => {
    const session = await openSession(options);
    if (!closing.signal.aborted && !session.lost.aborted) {
      current = session;
      failures = 0;
      log.info({ link: name }, 'broker connected');
      await aborted(AbortSignal.any([session.lost, closing.signal]));
      current = undefined;
    }
    await session.close();
    throw session.lost.reason;
  };

  const live = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await runSession();
      } catch (err) {
        if (closing.signal.aborted) return;
        failures += 1;
        // An outage is a line when it begins and a reminder every minute.
        const level = failures % 20 === 1 ? 'warn' : 'debug';
        log[level]({ err, link: name, failures }, 'broker is away, connecting again');
        await realSleep(Math.min(backOffMs(failures), BACK_OFF_MOST_MS), closing.signal).catch(() => {});
      }
    }
  };

  const finished = live();
  return {
    session: () => (current && !current.lost.aborted && !current.isBlocked() ? current : undefined),
    close: async () => {
      const open = current;
      closing.abort(new Error('link closes'));
      // A handshake that is under way may hang: it isn't waited for, and is undone should it succeed.
      if (open) await finished;
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
