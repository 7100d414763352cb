import type { Message } from '@parley/contracts';
import type { Context } from '../context.ts';
import type { NumberLinks } from './number-links.store.ts';

export function startConsumers(context: Context): void {
  context.amqp.consume({
    queue: 'assistants.phone-numbers',
    handlers: {
      'phone-number.updated': (message) => storeNumberLink(context, message),
      'phone-number.deleted': (message) => storeNumberLink(context, message),
    },
  });
}

/** Stores which assistants a number is assigned to; a deleted one is assigned to none. */
async function storeNumberLink(
  { numberLinks }: { numberLinks: NumberLinks },
  message: Message<'phone-number.updated' | 'phone-number.deleted'>,
): Promise<void> {
  const { phone_number_id: phoneNumberId, phone_number: phoneNumber, version } = message.data;
  const agents =
    message.type === 'phone-number.updated'
      ? { inboundAgentId: message.data.inbound_agent_id, outboundAgentId: message.data.outbound_agent_id }
      : { inboundAgentId: null, outboundAgentId: null };
  await numberLinks.store(message.id, {
    phoneNumberId,
    workspaceId: message.workspace_id,
    phoneNumber,
    version,
    ...agents,
  });
}
