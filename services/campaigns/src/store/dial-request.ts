import type { NewMessage } from '@parley/kit/outbox';
import { toIsoMillis } from '@parley/kit/time';
import type { Campaign } from '../domain/campaign.ts';
import { dynamicVariables } from '../domain/dynamic-variables.ts';
import { closesAt } from '../domain/hours.ts';

export type DueContact = {
  id: string;
  phoneNumber: string;
  contactName: string | null;
  customData: Record<string, unknown> | null;
};

/** Asks telephony for dials of a campaign. The same for the same attempt, however often it is asked. */
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
      dynamic_variables: dynamicVariables({ ...contact, customData: contact.customData ?? {} }),
      ...hours,
    },
  }));
}
