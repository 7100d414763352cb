import { type Message, type MessageReference, parseMessage, referenceSchema } from '@parley/contracts';
import type { ConsumeMessage } from 'amqplib';
import type { Log } from '../log/index.ts';
import { withParent, withSpan } from '../observability/index.ts';
import { attemptUntilDecided, type Outcome, type TryOptions } from './attempt-until-decided.ts';
import type { InTurn } from './reference-turns.ts';

/** Reads the content of a message that was published by reference from its publisher. */
export type ReadContent = (reference: MessageReference) => Promise<string>;

/** Removes erased data from the text of a message. */
export type Redact = (message: {
  text: string;
  workspaceId: string;
  publishedAtSeconds: number | undefined;
}) => Promise<string>;

type HandlerOf = (message: Message, context: { log: Log }) => Promise<void>;

export type DeliveryOptions = TryOptions & {
  delivery: ConsumeMessage;
  /** By message type. */
  handlers: Readonly<Record<string, unknown>>;
  readContent?: ReadContent | undefined;
  redact?: Redact | undefined;
  inTurn: InTurn;
  /** Called before the first `await`, if the message is a reference. */
  onReference: () => void;
};

/** Parses and handles a delivery, with retries. Returns the acknowledgement to send. */
export async function handleDelivery(options: DeliveryOptions): Promise<Outcome> {
  const { delivery, log } = options;
  const head = read(delivery, log);
  if (!head) return 'dead';
  if (!('data' in head)) options.onReference();
  const handler = options.handlers[head.type] as HandlerOf | undefined;
  if (!handler) {
    log.error({ messageId: head.id, type: head.type }, 'dead letter: no handler for its type');
    return 'dead';
  }
  const child = log.child({
    messageId: head.id,
    type: head.type,
    workspaceId: head.workspace_id,
    ...(head.request_id !== undefined && { requestId: head.request_id }),
    ...('data' in head ? subjectOf(head.data) : {}),
  });
  const handle = async (): Promise<void> => {
    const text =
      'data' in head ? delivery.content.toString('utf8') : await contentOf(head, options.readContent);
    if (text === '') return child.info('message content was erased');
    const allowed = await redacted(head, text, options);
    const message = 'data' in head && allowed === text ? head : parseMessage(JSON.parse(allowed));
    if (message.id !== head.id) throw new Error('The content belongs to another message');
    await handler(message, { log: child });
  };
  const attempt = (): Promise<void> =>
    'data' in head ? handle() : options.inTurn(head.workspace_id, handle, options.signal);
  const work = (): Promise<Outcome> => attemptUntilDecided(attempt, { ...options, log: child });
  const attributes = { 'messaging.system': 'rabbitmq', 'messaging.message.id': head.id };
  return withParent(delivery.properties.headers ?? {}, () =>
    withSpan(`consume ${head.type}`, attributes, work, 'consumer'),
  );
}

function read(delivery: ConsumeMessage, log: Log): Message | MessageReference | undefined {
  try {
    const raw: unknown = JSON.parse(delivery.content.toString('utf8'));
    const reference = referenceSchema.safeParse(raw);
    return reference.success ? reference.data : parseMessage(raw);
  } catch (err) {
    const { messageId, type } = delivery.properties;
    log.error({ err, messageId, type }, 'dead letter: not a message of the contract');
    return undefined;
  }
}

async function contentOf(reference: MessageReference, readContent: ReadContent | undefined): Promise<string> {
  if (!readContent) throw new Error('This consumer cannot read messages by reference');
  return readContent(reference);
}

/** An erasure doesn't change messages about configuration. */
const CONFIGURATION = /^(assistant|phone-number)\./;

async function redacted(
  { type, workspace_id: workspaceId }: Message | MessageReference,
  text: string,
  { redact, delivery }: DeliveryOptions,
): Promise<string> {
  if (!redact || CONFIGURATION.test(type)) return text;
  const { timestamp } = delivery.properties;
  const publishedAtSeconds = typeof timestamp === 'number' ? timestamp : undefined;
  return redact({ text, workspaceId, publishedAtSeconds });
}

/** The call and campaign of a message, for its log lines. */
function subjectOf(data: object): { callId?: string; campaignId?: string } {
  const { call_id: callId, campaign } = data as { call_id?: unknown; campaign?: unknown };
  const campaignId = campaign && (campaign as { campaign_id?: unknown }).campaign_id;
  return {
    ...(typeof callId === 'string' ? { callId } : {}),
    ...(typeof campaignId === 'string' ? { campaignId } : {}),
  };
}
