import type { Context } from './context.ts';
import type { Deliverer } from './domain/delivery/deliverer.ts';
import { followAssistant } from './domain/endpoints/follow-assistant.ts';
import { recordEvent } from './domain/events/record-event.ts';

const PREFETCH = 20;

export function startConsumers({ amqp, handleOnce }: Context, { wake }: Deliverer): void {
  const deps = { handleOnce, wake };
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
