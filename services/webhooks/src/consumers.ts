import type { Context } from './context.ts';
import type { Deliverer } from './domain/delivery/deliverer.ts';
import { followAssistant } from './domain/endpoints/follow-assistant.ts';
import { recordEvent } from './domain/events/record-event.ts';

/** What arrives while a transaction is under way is in the next one. A call's transcript is in each. */
const PREFETCH = 64;

export function startConsumers({ amqp, takeNews }: Context, { wake }: Deliverer): void {
  const deps = { takeNews, wake };
  amqp.consume({
    queue: 'webhooks.calls',
    prefetch: PREFETCH,
    handlers: {
      'call.started': (message) => recordEvent(deps, message),
      'call.ended': (message) => recordEvent(deps, message),
      'call.analyzed': (message) => recordEvent(deps, message),
    },
  });
  amqp.consume({
    queue: 'webhooks.assistants',
    prefetch: PREFETCH,
    handlers: {
      'assistant.updated': (message) => followAssistant(deps, message),
      'assistant.deleted': (message) => followAssistant(deps, message),
    },
  });
}
