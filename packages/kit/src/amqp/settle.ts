import { type Message, parseMessage } from '@parley/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Log } from '../log/index.ts';
import { withParent, withSpan } from '../observability/index.ts';
import { type Outcome, type TryOptions, tryUntilSettled } from './try-until-settled.ts';

type HandlerOf = (message: Message, context: { log: Log }) => Promise<void>;

export type SettleOptions = TryOptions & {
  delivery: ConsumeMessage;
  /** By message type. */
  handlers: Readonly<Record<string, unknown>>;
};

/** Handles a delivery until something can be said to the broker about it. */
export async function settle(options: SettleOptions): Promise<Outcome> {
  const { delivery, log } = options;
  const message = read(delivery, log);
  if (!message) return 'dead';
  const handler = options.handlers[message.type] as HandlerOf | undefined;
  if (!handler) {
    log.error({ messageId: message.id, type: message.type }, 'dead letter: nobody handles its type');
    return 'dead';
  }
  const child = log.child({
    messageId: message.id,
    type: message.type,
    workspaceId: message.workspace_id,
    ...(message.request_id !== undefined && { requestId: message.request_id }),
    ...subjectOf(message.data),
  });
  const attempt = (): Promise<void> => handler(message, { log: child });
  const work = (): Promise<Outcome> => tryUntilSettled(attempt, { ...options, log: child });
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

/** The call and the campaign that a message is about, for its lines. */
function subjectOf(data: object): { callId?: string; campaignId?: string } {
  const { call_id: callId, campaign } = data as { call_id?: unknown; campaign?: unknown };
  const campaignId = campaign && (campaign as { campaign_id?: unknown }).campaign_id;
  return {
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(typeof campaignId === 'string' ? { campaignId } : {}),
  };
}
