import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import type { Log } from '../log/index.ts';
import { realSleep } from '../time/index.ts';

/** A connection with its channel, until it is lost. */
export type Session = {
  readonly channel: ConfirmChannel;
  /** Aborts when the session is lost: its deliveries can no longer be acknowledged. */
  readonly lost: AbortSignal;
  /** The broker blocks publishing because its memory or disk is full. */
  isBlocked(): boolean;
  /** Ends the session; the link opens another. */
  abandon(reason: string): void;
  /** Closes channel and connection, with a timeout. */
  close(): Promise<void>;
};

export type SessionOptions = {
  url: string;
  /** Shown by the broker and in the log. */
  name: string;
  log: Log;
  /** Sets up the channel of a new session, which is open when this resolves. */
  setup: (channel: ConfirmChannel, session: Session) => Promise<void>;
  /** Called when the broker blocks publishing, and when it allows it again. */
  onBlocked?: (isBlocked: boolean) => void;
};

/** The broker must confirm a publication within this time. */
export const CONFIRM_TIMEOUT_MS = 10_000;
const HEARTBEAT_SECONDS = 10;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** The closing handshake never ends if the socket dies during it. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Connects, opens and sets up a channel. Closes everything before it rejects. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { url, name, setup } = options;
  const model = await connect(withHeartbeat(url), {
    noDelay: true,
    keepAlive: true,
    timeout: HANDSHAKE_TIMEOUT_MS,
    clientProperties: { connection_name: name },
  });
  const loss = new AbortController();
  const lose = (err: Error): void => {
    if (!loss.signal.aborted) loss.abort(err);
  };
  const isBlocked = watch(model, { ...options, lose });
  let channel: ConfirmChannel | undefined;
  try {
    channel = await model.createConfirmChannel();
    channel.on('error', lose);
    channel.on('close', () => lose(new Error('Channel closed')));
    const session = sessionOf(model, channel, { loss, lose, isBlocked });
    await setup(channel, session);
    return session;
  } catch (err) {
    await closeAll(model, channel);
    throw loss.signal.aborted ? loss.signal.reason : err;
  }
}

type Life = { loss: AbortController; lose: (err: Error) => void; isBlocked: () => boolean };

function sessionOf(model: ChannelModel, channel: ConfirmChannel, { loss, lose, isBlocked }: Life): Session {
  return {
    channel,
    lost: loss.signal,
    isBlocked,
    abandon: (reason) => lose(new Error(reason)),
    close: async () => {
      lose(new Error('Channel closed'));
      await closeAll(model, channel);
    },
  };
}

type Watch = Pick<SessionOptions, 'name' | 'log' | 'onBlocked'> & { lose: (err: Error) => void };

function watch(model: ChannelModel, { name, log, lose, onBlocked }: Watch): () => boolean {
  let blocked = false;
  model.on('error', lose);
  model.on('close', (err) => lose(err ?? new Error('Connection closed')));
  model.on('blocked', (reason) => {
    blocked = true;
    log.warn({ link: name, reason }, 'broker has blocked the connection');
    onBlocked?.(true);
  });
  model.on('unblocked', () => {
    blocked = false;
    onBlocked?.(false);
  });
  return () => blocked;
}

/** The channel first: the frame that closes a connection overtakes acknowledgements that its channel has yet to send. */
async function closeAll(model: ChannelModel, channel: ConfirmChannel | undefined): Promise<void> {
  const bound = new AbortController();
  const late = realSleep(CLOSE_TIMEOUT_MS, bound.signal).catch(() => {});
  const close = async (): Promise<void> => {
    await channel?.close().catch(() => {});
    await model.close().catch(() => {});
  };
  await Promise.race([close(), late]);
  bound.abort();
}

function withHeartbeat(url: string): string {
  const parsed = new URL(url);
  if (!parsed.searchParams.has('heartbeat')) parsed.searchParams.set('heartbeat', String(HEARTBEAT_SECONDS));
  return parsed.href;
}
