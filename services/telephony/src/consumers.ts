import { createInboxSweep } from '@parley/kit/inbox';
import type { Context } from './context.ts';
import { copyAssistant, forgetAssistant } from './domain/agents/follow-assistant.ts';
import { queueDial } from './domain/dialing/queue-dial.ts';
import { createHttpDeps } from './http-deps.ts';
import { createDialIntake } from './store/dial-requests.ts';

/** Many small ones: a campaign hands out its dials one by one. */
const DIALS_IN_HAND = 64;

/** What telephony hears from the others. */
export function startConsumers(context: Context): void {
  const { amqp, prisma, log, lifecycle } = context;
  const deps = createHttpDeps(context);
  const dials = { ...deps, addDialRequest: createDialIntake(prisma) };
  amqp.consume({
    queue: 'telephony.dials',
    prefetch: DIALS_IN_HAND,
    handlers: { 'dial.requested': (message) => queueDial(dials, message) },
  });
  amqp.consume({
    queue: 'telephony.assistants',
    handlers: {
      'assistant.updated': (message) => copyAssistant(deps, message),
      'assistant.deleted': (message) => forgetAssistant(deps, message),
    },
  });
  createInboxSweep({ sql: prisma, log, lifecycle });
}
