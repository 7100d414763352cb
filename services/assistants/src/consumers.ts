import type { Context } from './context.ts';
import { followNumber } from './domain/numbers/follow-number.ts';

export function startConsumers(context: Context): void {
  context.amqp.consume({
    queue: 'assistants.phone-numbers',
    handlers: {
      'phone-number.updated': (message) => followNumber(context, message),
      'phone-number.deleted': (message) => followNumber(context, message),
    },
  });
}
