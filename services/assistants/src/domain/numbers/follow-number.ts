import type { Message } from '@parley/contracts';
import type { NumberLinks } from './ports.ts';

/** `phone-number.updated|deleted`: which assistants the number names; a deleted one names none. */
export async function followNumber(
  { numberLinks }: { numberLinks: NumberLinks },
  message: Message<'phone-number.updated' | 'phone-number.deleted'>,
): Promise<void> {
  const { phone_number_id: phoneNumberId, phone_number: phoneNumber, version } = message.data;
  const agents =
    message.type === 'phone-number.updated'
      ? { inboundAgentId: message.data.inbound_agent_id, outboundAgentId: message.data.outbound_agent_id }
      : { inboundAgentId: null, outboundAgentId: null };
  await numberLinks.take(message.id, {
    phoneNumberId,
    workspaceId: message.workspace_id,
    phoneNumber,
    version,
    ...agents,
  });
}
