import type { z } from 'zod';
import { assistantDeleted, assistantUpdated } from './assistant.ts';
import { callAnalyzed, callDialing, callEnded, callStarted } from './call.ts';
import { dialRefused, dialRequested } from './dial.ts';
import { envelopeSchema, type MessageEnvelope } from './envelope.ts';
import { phoneNumberDeleted, phoneNumberUpdated } from './phone-number.ts';
import { webhookExhausted } from './webhook.ts';

/** Message type (also its routing key) → shape of its `data`. */
export const messageTypes = {
  'assistant.updated': assistantUpdated,
  'assistant.deleted': assistantDeleted,
  'phone-number.updated': phoneNumberUpdated,
  'phone-number.deleted': phoneNumberDeleted,
  'dial.requested': dialRequested,
  'dial.refused': dialRefused,
  'call.dialing': callDialing,
  'call.started': callStarted,
  'call.ended': callEnded,
  'call.analyzed': callAnalyzed,
  'webhook.exhausted': webhookExhausted,
} as const;

export type MessageType = keyof typeof messageTypes;

export type MessageData<T extends MessageType> = z.output<(typeof messageTypes)[T]>;

export type Message<T extends MessageType = MessageType> = {
  [K in T]: Omit<MessageEnvelope, 'type' | 'data'> & { type: K; data: MessageData<K> };
}[T];

export function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(messageTypes, type);
}

/**
 * Parses what came from the broker.
 * @throws ZodError when the envelope, its type or its data is not as agreed
 */
export function parseMessage(raw: unknown): Message {
  const envelope = envelopeSchema
    .refine((e) => isMessageType(e.type), { error: 'unknown message type' })
    .parse(raw);
  const data = messageTypes[envelope.type as MessageType].parse(envelope.data);
  return { ...envelope, data } as Message;
}
