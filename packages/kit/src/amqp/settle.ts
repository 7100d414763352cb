import { type Message, parseMessage } from '@parley/contracts';
import type { ConsumeMessage } from 'amqplib';
import { ackDecision } from '../errors/index.ts';
import type { Log } from '../log/index.ts';
import { withParent, withSpan } from '../observability/index.ts';
import { monotonicMs, realSleep } from '../time/index.ts';

/** `let go`: neither, the broker will hand it out again. */
export type Outcome = 'ack' | 'dead' | 'let go';

type HandlerOf = (message: Message, context: { log: Log }) => Promise<void>;

export type SettleOptions = {
  delivery: ConsumeMessage;
  /** By message type. */
  handlers: Readonly<Record<string, unknown>>;
  tries: number;
  log: Log;
  /** Aborts when the consumer stops or has lost its session: no further try then. */
  signal: AbortSignal;
};

const RETRY_AFTER_MS = [100, 500, 2_000, 5_000];
const HOLD_MS = 1_000;

/**
 * Handles a delivery until something can be said to the broker about it. Between tries the message stays in hand,
 * unacknowledged, and tries are counted here: the broker can't delay a message, its `x-delivery-count` also counts
 * lost connections, and a copy with a header of our own could be published twice. A process that dies starts the
 * count anew; the queue's delivery limit bounds that.
 */
export async function settle(options: SettleOptions): Promise<Outcome> {
  const { delivery, log } = options;
  const message = read(delivery, log);
  const handler = message && (options.handlers[message.type] as HandlerOf | undefined);
  if (!message || !handler) {
    if (message)
      log.error({ messageId: message.id, type: message.type }, 'dead letter: nobody handles its type');
    return 'dead';
  }
  const child = log.child({
    messageId: message.id,
    type: message.type,
    workspaceId: message.workspace_id,
    ...(message.request_id !== undefined && { requestId: message.request_id }),
  });
  const work = (): Promise<Outcome> =>
    tryUntilSettled(() => handler(message, { log: child }), child, options);
  const attributes = { 'messaging.system': 'rabbitmq', 'messaging.message.id': message.id };
  return withParent(delivery.properties.headers ?? {}, () =>
    withSpan(`consume ${message.type}`, attributes, work, 'consumer'),
  );
}

function read(delivery: ConsumeMessage, log: Log): Message | undefined {
  try {
    return parseMessage(JSON.parse(delivery.content.toString('utf8')));
  } catch (err) {
    const { messageId, type } = delivery.properties;
    log.error({ err, messageId, type }, 'dead letter: not a message of the contract');
    return undefined;
  }
}

async function tryUntilSettled(
  attempt: () => Promise<void>,
  log: Log,
  options: SettleOptions,
): Promise<Outcome> {
  const startedMs = monotonicMs();
  let tried = 1;
  let held = 0;
  while (true) {
    try {
      await attempt();
      log.debug({ tried, held, durationMs: Math.round(monotonicMs() - startedMs) }, 'message handled');
      return 'ack';
    } catch (err) {
      const decision = ackDecision(err, tried, options.tries);
      if (decision === 'dead') {
        log.error({ err, tried, held }, 'dead letter: its handler failed');
        return 'dead';
      }
      if (decision === 'retry') log.warn({ err, tried }, 'message failed, trying again');
      else if (held === 0) log.warn({ err }, 'message waits for a dependency');
      const waitMs =
        decision === 'hold' ? HOLD_MS : (RETRY_AFTER_MS[tried - 1] ?? RETRY_AFTER_MS.at(-1) ?? HOLD_MS);
      if (decision === 'hold') held += 1;
      else tried += 1;
      if (!(await pause(waitMs, options.signal))) return 'let go';
    }
  }
}

/** Whether the wait came to its end. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return realSleep(ms, signal).then(
    () => true,
    () => false,
  );
}
