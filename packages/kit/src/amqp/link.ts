import { once } from 'node:events';
import { backoffMs } from '../concurrency/index.ts';
import { realSleep } from '../time/index.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

export type LinkOptions = SessionOptions & {
  /** Called when the broker could not be connected to, and when a session has ended, but not after `close`. */
  onLost?: () => void;
};

export type Link = {
  /** The session, unless the link is down or blocked. */
  session(): Session | undefined;
  close(): Promise<void>;
};

const MAX_BACKOFF_MS = 3_000;

/**
 * A connection to the broker that reconnects until it is closed.
 *
 * States: opening (connect, open and set up a channel) → up → lost (socket, connection or channel closed, or abandoned) → backoff of
 * 100 ms to 3 s with jitter → opening. `close` ends it in every state. One channel per connection makes the loss of either the same.
 * amqplib's own recovery hangs if the socket dies during a closing handshake.
 */
export function createLink(options: LinkOptions): Link {
  const { name, log } = options;
  const closing = new AbortController();
  let current: Session | undefined;
  let failures = 0;

  /** Never resolves; rejects with the reason when the session ends. */
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

  const runForever = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await runSession();
      } catch (err) {
        if (closing.signal.aborted) return;
        failures += 1;
        options.onLost?.();
        // One log line when an outage begins, then about one per minute.
        const level = failures % 20 === 1 ? 'warn' : 'debug';
        log[level]({ err, link: name, failures }, 'broker unavailable, reconnecting');
        await realSleep(Math.min(backoffMs(failures), MAX_BACKOFF_MS), closing.signal).catch(() => {});
      }
    }
  };

  const finished = runForever();
  return {
    session: () => (current && !current.lost.aborted && !current.isBlocked() ? current : undefined),
    close: async () => {
      const open = current;
      closing.abort(new Error('link closes'));
      // A handshake in progress may hang: it isn't awaited, and its connection is closed if it succeeds.
      if (open) await finished;
    },
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
