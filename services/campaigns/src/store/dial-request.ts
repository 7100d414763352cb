import type { NewMessage } from '@parley/kit/outbox';
import type { Campaign } from '../domain/campaign.ts';
import { dynamicVariables } from '../domain/dynamic-variables.ts';

export type DueContact = {
  id: string;
  phoneNumber: string;
  contactName: string | null;
  customData: Record<string, unknown> | null;
};

/** Asks telephony for a dial. The same for the same attempt, however often it is asked. */
export function dialRequest(
  campaign: Campaign,
  contact: DueContact,
  callId: string,
  now: Date,
): NewMessage<'dial.requested'> {
  const { contactName, customData } = contact;
  return {
    type: 'dial.requested',
    workspaceId: campaign.workspaceId,
    occurredAt: now,
    data: {
      call_id: callId,
      campaign_id: campaign.id,
      contact_id: contact.id,
      generation: campaign.generation,
      agent_id: campaign.agentId,
      phone_number_id: campaign.phoneNumberId,
      to_number: contact.phoneNumber,
      dynamic_variables: dynamicVariables({ contactName, customData: customData ?? {} }),
    },
  };
}
