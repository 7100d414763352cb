import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { uuid } from '../shapes/primitives.ts';

/** The services that publish messages. */
export const PUBLISHERS = ['assistants', 'telephony', 'campaigns'] as const;
export type PublisherName = (typeof PUBLISHERS)[number];

const route = { access: 'internal', tag: 'Internal', envelope: 'data', status: 200, errors: [] } as const;
const params = z.object({ id: uuid.describe('The message') });
const ofOne = { ...route, params, errors: ['VALIDATION_FAILED', 'NOT_FOUND'] } as const;

const refusedMessage = z.object({
  message_id: uuid,
  type: z.string(),
  workspace_id: uuid,
  bytes: z.int(),
  created_at: z.string(),
  refused_at: z.string(),
  /** As given by the broker. */
  reason: z.string(),
});
export type RefusedMessage = z.output<typeof refusedMessage>;

// Every publisher has these routes.

export const readMessageContentOf = (service: PublisherName) =>
  defineEndpoint({
    ...ofOne,
    service,
    id: 'readMessageContent',
    method: 'GET',
    path: '/internal/outbox/contents/:id',
    response: z.object({ payload: z.string() }),
    summary: 'Full content of a message that is too large for the broker',
  });

export const listRefusedMessagesOf = (service: PublisherName) =>
  defineEndpoint({
    ...route,
    service,
    id: 'listRefusedMessages',
    method: 'GET',
    path: '/internal/outbox/refused',
    response: z.array(refusedMessage),
    summary: 'The oldest 1,000 messages that the broker rejected (any workspace)',
  });

export const readRefusedMessageOf = (service: PublisherName) =>
  defineEndpoint({
    ...ofOne,
    service,
    id: 'readRefusedMessage',
    method: 'GET',
    path: '/internal/outbox/refused/:id',
    response: refusedMessage.extend({ payload: z.string() }),
    summary: 'A rejected message with its payload',
  });

export const requeueRefusedMessageOf = (service: PublisherName) =>
  defineEndpoint({
    ...ofOne,
    service,
    id: 'requeueRefusedMessage',
    method: 'POST',
    path: '/internal/outbox/refused/:id/requeue',
    response: refusedMessage,
    summary: 'Publish a rejected message again',
  });

export const discardRefusedMessageOf = (service: PublisherName) =>
  defineEndpoint({
    ...ofOne,
    service,
    id: 'discardRefusedMessage',
    method: 'DELETE',
    path: '/internal/outbox/refused/:id',
    response: refusedMessage,
    summary: 'Discard a rejected message',
  });
