import type { z } from 'zod';
import { assistantDeleted, assistantUpdated } from './assistant.ts';
import { auditRecorded } from './audit.ts';
import { callAnalyzed, callDialing, callEnded, callStarted } from './call.ts';
import { changesNoted } from './changes.ts';
import { dialRefused, dialRequested } from './dial.ts';
import { envelopeSchema, type MessageEnvelope } from './envelope.ts';
import { phoneNumberDeleted, phoneNumberUpdated } from './phone-number.ts';

/** Message type (also its routing key) → schema of its `data`. */
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
  'audit.recorded': auditRecorded,
  'changes.noted': changesNoted,
} as const;

export type MessageType = keyof typeof messageTypes;

export type MessageData<T extends MessageType> = z.output<(typeof messageTypes)[T]>;

export type Message<T extends MessageType = MessageType> = {
  [K in T]: Omit<MessageEnvelope, 'type' | 'data'> & { type: K; data: MessageData<K> };
}[T];

function isMessageType(type: string): type is MessageType {
  return Object.hasOwn(messageTypes, type);
}

/** Built once: zod compiles a schema on its first use, which costs twenty times what parsing does. */
const knownEnvelope = envelopeSchema.refine((e) => isMessageType(e.type), { error: 'unknown message type' });

/**
 * Parses a message from the broker.
 * @throws ZodError if the envelope, its type or its data is invalid
 */
export function parseMessage(raw: unknown): Message {
  const envelope = knownEnvelope.parse(raw);
  const data = messageTypes[envelope.type as MessageType].parse(envelope.data);
  return { ...envelope, data } as Message;
}
