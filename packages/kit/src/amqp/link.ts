import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { backOffMs } from '../jobs/index.ts';
import type { Log } from '../log/index.ts';
import { realSleep } from '../time/index.ts';

export type LinkOptions = {
  url: string;
  /** Shown by the broker and in the log. */
  name: string;
  log: Log;
  /** Prepares the channel of a new session; the session is up when it resolves. */
  setup: (channel: ConfirmChannel, session: Session) => Promise<void>;
};

/** One connection with its one channel, from its opening to its loss. */
export type Session = {
  readonly channel: ConfirmChannel;
  /** Aborts when the session is lost: what was delivered by it can't be acknowledged any more. */
  readonly lost: AbortSignal;
  /** Gives the session up; the link opens another. */
  abandon(reason: string): void;
};

export type Link = {
  /** The session, unless the link is down or the broker has blocked it (its memory or disk is full). */
  session(): Session | undefined;
  close(): Promise<void>;
};

const HEARTBEAT_SECONDS = 10;
const HANDSHAKE_TIMEOUT_MS = 5_000;
/** What a farewell to the broker may take; the handshake of closing never ends when the socket dies under it. */
const CLOSE_TIMEOUT_MS = 1_000;
const BACK_OFF_MOST_MS = 3_000;

/**
 * A connection to the broker that comes back by itself, for ever.
 *
 * States: opening (connect, open a channel, set it up) → up → lost (socket, connection or channel closed, by whomever,
 * or given up) → a pause with jitter, 100 ms to 3 s → opening. `close` ends it from every state. One channel per connection, so that
 * losing either is the same thing and one kind of recovery is enough; amqplib's own recovery isn't used because
 * it never comes back when the socket dies during a closing handshake.
 */
export function createLink({ url, name, log, setup }: LinkOptions): Link {
  const closing = new AbortController();
  let current: Session | undefined;
  let blocked = false;
  let failures = 0;

  const live = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await runSession();
      } catch (err) {
        current = undefined;
        if (closing.signal.aborted) return;
        failures += 1;
        // An outage is a line when it begins and a reminder every minute.
        log[failures % 20 === 1 ? 'warn' : 'debug'](
          { err, link: name, failures },
          'broker is away, connecting again',
        );
        await realSleep(Math.min(backOffMs(failures), BACK_OFF_MOST_MS), closing.signal).catch(() => {});
      }
    }
  };

  /** Lives as long as the session; throws what ended it. */
  const runSession = async (): Promise<void> => {
    const model = await connect(withHeartbeat(url), {
      noDelay: true,
      keepAlive: true,
      timeout: HANDSHAKE_TIMEOUT_MS,
      clientProperties: { connection_name: name },
    });
    const lost = new AbortController();
    const lose = (err: Error): void => {
      if (!lost.signal.aborted) lost.abort(err);
    };
    const over = new Promise<never>((_, reject) => {
      lost.signal.addEventListener('abort', () => reject(lost.signal.reason), { once: true });
    });
    over.catch(() => {});
    closing.signal.addEventListener('abort', () => lose(new Error('link closes')), { signal: lost.signal });
    watch(model, lose);
    try {
      if (closing.signal.aborted) return;
      const channel = await model.createConfirmChannel();
      channel.on('error', lose);
      channel.on('close', () => lose(new Error('Channel closed')));
      const session: Session = { channel, lost: lost.signal, abandon: (reason) => lose(new Error(reason)) };
      await Promise.race([setup(channel, session), over]);
      current = session;
      failures = 0;
      log.info({ link: name }, 'broker connected');
      await over;
    } finally {
      current = undefined;
      blocked = false;
      lose(new Error('Channel closed'));
      await farewell(model);
    }
  };

  const watch = (model: ChannelModel, lose: (err: Error) => void): void => {
    model.on('error', lose);
    model.on('close', (err) => lose(err ?? new Error('Connection closed')));
    model.on('blocked', (reason) => {
      blocked = true;
      log.warn({ link: name, reason }, 'broker has blocked the connection');
    });
    model.on('unblocked', () => {
      blocked = false;
    });
  };

  const finished = live();
  return {
    session: () => (blocked ? undefined : current),
    close: () => {
      closing.abort(new Error('link closes'));
      return finished;
    },
  };
}

async function farewell(model: ChannelModel): Promise<void> {
  const bound = new AbortController();
  const timeout = realSleep(CLOSE_TIMEOUT_MS, bound.signal).catch(() => {});
  await Promise.race([model.close().catch(() => {}), timeout]);
  bound.abort();
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}
