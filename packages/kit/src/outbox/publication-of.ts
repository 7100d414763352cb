import type { Publication } from '../amqp/index.ts';

export type OutboxRow = { message_id: string; type: string; payload: string; traceparent: string | null };

export function publicationOf({ message_id, type, payload, traceparent }: OutboxRow): Publication {
  return { id: message_id, type, payload, traceparent: traceparent ?? undefined };
}
