import type { Message } from '@parley/contracts';
import { createInboxSweep } from '@parley/kit/inbox';
import { enqueue } from '@parley/kit/outbox';
import { createAgentCopies } from './assistants/agent-copies.store.ts';
import type { Transact } from './clients/ports.ts';
import type { Context } from './context.ts';
import { createDialIntake } from './dialer/dial-requests.store.ts';
import { queueDial } from './dialer/queue-dial.ts';
import { copyAssistant, forgetAssistant } from './numbers/follow-assistant.ts';
import { createNumberStore } from './numbers/numbers.store.ts';

/** A campaign requests its dials one message at a time. */
const DIALS_PREFETCH = 64;

/** Consumes the requests of campaigns and the changes of assistants. */
export function startConsumers(context: Context): void {
  const { amqp, prisma, outbox, clock, log, lifecycle, dialWakeUp } = context;
  const transact: Transact = (work) => outbox.transaction(work);
  const refuseDial = ({ workspace_id: workspaceId, data }: Message<'dial.requested'>) => {
    const { call_id, campaign_id, contact_id } = data;
    const refusal = { call_id, campaign_id, contact_id, reason: 'do_not_call' as const };
    return transact((tx) =>
      enqueue(tx, { type: 'dial.refused', workspaceId, occurredAt: clock.now(), data: refusal }),
    );
  };
  const addDialRequest = createDialIntake(prisma);
  const dials = { clock, addDialRequest, refuseDial, wakeDialer: dialWakeUp.wake };
  const copies = createAgentCopies(prisma);
  const follow = { transact, clock, numbers: createNumberStore(prisma), copies };
  amqp.consume({
    queue: 'telephony.dials',
    prefetch: DIALS_PREFETCH,
    handlers: { 'dial.requested': (message) => queueDial(dials, message) },
  });
  amqp.consume({
    queue: 'telephony.assistants',
    handlers: {
      'assistant.updated': (message) => copyAssistant(follow, message),
      'assistant.deleted': (message) => forgetAssistant(follow, message),
    },
  });
  createInboxSweep({ sql: prisma, log, lifecycle });
}
