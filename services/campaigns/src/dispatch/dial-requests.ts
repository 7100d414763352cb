import type { NewMessage } from '@parley/kit/outbox';
import { toIsoMillis } from '@parley/kit/time';
import type { Campaign } from '../campaigns/campaign.ts';
import { closesAt } from '../campaigns/hours.ts';

export type DueContact = {
  id: string;
  phoneNumber: string;
  contactName: string | null;
  customData: Record<string, unknown> | null;
};

/** Requests dials of a campaign from telephony. The same attempt always gives the same request. */
export function dialRequests(
  campaign: Campaign,
  dials: readonly { callId: string; contact: DueContact }[],
  now: Date,
): NewMessage<'dial.requested'>[] {
  const notAfter = closesAt(campaign.businessHours, now);
  const hours = notAfter ? { not_after: toIsoMillis(notAfter) } : {};
  return dials.map(({ callId, contact }) => ({
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
      dynamic_variables: dynamicVariables(contact),
      ...hours,
    },
  }));
}

/**
 * The dynamic variables of a call [campaigns.4]: each key of `custom_data`, and `contact_name`, which wins over a key of
 * that name. A spread copies `__proto__` as a key like any other.
 */
function dynamicVariables({ contactName, customData }: DueContact): Record<string, unknown> {
  return contactName === null ? { ...customData } : { ...customData, contact_name: contactName };
}
