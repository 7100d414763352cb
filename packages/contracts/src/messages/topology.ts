import type { ServiceName } from '../services.ts';
import type { MessageType } from './catalogue.ts';

/**
 * Every durable queue, its consumer and its bindings. Each service declares all of them, so that no message is lost, whichever service starts
 * first, unless the operator has declared them (`AMQP_TOPOLOGY=provided`). The gateway's event streams have temporary queues of their own.
 */
export const topology = {
  'assistants.phone-numbers': {
    service: 'assistants',
    types: ['phone-number.updated', 'phone-number.deleted'],
  },
  'telephony.dials': { service: 'telephony', types: ['dial.requested'] },
  'telephony.assistants': { service: 'telephony', types: ['assistant.updated', 'assistant.deleted'] },
  'campaigns.calls': {
    service: 'campaigns',
    types: ['call.dialing', 'call.started', 'call.ended', 'dial.refused'],
  },
  'campaigns.phone-numbers': { service: 'campaigns', types: ['phone-number.deleted'] },
  'webhooks.calls': { service: 'webhooks', types: ['call.started', 'call.ended', 'call.analyzed'] },
  'webhooks.assistants': { service: 'webhooks', types: ['assistant.updated', 'assistant.deleted'] },
  'gateway.audit': { service: 'gateway', types: ['audit.recorded'] },
} as const satisfies Record<string, { service: ServiceName; types: readonly MessageType[] }>;

export type QueueName = keyof typeof topology;

/** The types that each service publishes. */
export const publications = {
  gateway: ['changes.noted'],
  assistants: ['assistant.updated', 'assistant.deleted', 'audit.recorded'],
  telephony: [
    'phone-number.updated',
    'phone-number.deleted',
    'dial.refused',
    'call.dialing',
    'call.started',
    'call.ended',
    'call.analyzed',
    'audit.recorded',
    'changes.noted',
  ],
  campaigns: ['dial.requested', 'changes.noted'],
  webhooks: ['changes.noted'],
} as const satisfies Record<ServiceName, readonly MessageType[]>;
