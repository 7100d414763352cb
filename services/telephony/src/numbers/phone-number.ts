import type { MessageData, phoneNumber } from '@parley/contracts';
import { toIsoMicros } from '@parley/kit/time';
import { z } from 'zod';
import type { TrunkView } from '../trunks/terminations.store.ts';

export const providers = z.enum(['hosted_sip', 'telco']);
export type Provider = z.infer<typeof providers>;

export type PhoneNumber = {
  id: string;
  workspaceId: string;
  phoneNumber: string;
  nickname: string | null;
  provider: Provider;
  isActive: boolean;
  maxCps: number;
  inboundAgentId: string | null;
  outboundAgentId: string | null;
  inboundWebhookUrl: string | null;
  /** Increases with each change: consumers ignore lower versions. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
};

/** With the names of the assistants; null for none and for a deleted one. */
export type PhoneNumberView = PhoneNumber & {
  inboundAgentName: string | null;
  outboundAgentName: string | null;
  /** The trunk of a SIP number that is not simulated. */
  trunk: TrunkView | null;
};

/** The phone number of the API; without its carrier secrets [numbers.6]. */
export function toPhoneNumberAnswer(number: PhoneNumberView): z.input<typeof phoneNumber> {
  return {
    id: number.id,
    workspace_id: number.workspaceId,
    phone_number: number.phoneNumber,
    nickname: number.nickname,
    ...settingsOf(number),
    inbound_agent_name: number.inboundAgentName,
    outbound_agent_name: number.outboundAgentName,
    trunk: number.trunk && toTrunkAnswer(number.trunk),
    created_at: toIsoMicros(number.createdAt),
    updated_at: toIsoMicros(number.updatedAt),
  };
}

/** The fields whose changes are in the audit log. */
export const settingsOf = (number: PhoneNumber) => ({
  provider: number.provider,
  is_active: number.isActive,
  max_cps: number.maxCps,
  inbound_agent_id: number.inboundAgentId,
  outbound_agent_id: number.outboundAgentId,
  inbound_webhook_url: number.inboundWebhookUrl,
});

function toTrunkAnswer({ registration, health, reason, since, checkedAt }: TrunkView) {
  return {
    registration,
    health,
    reason,
    since: since && toIsoMicros(since),
    checked_at: checkedAt && toIsoMicros(checkedAt),
  };
}

export function toPhoneNumberUpdated(number: PhoneNumber): MessageData<'phone-number.updated'> {
  return {
    phone_number_id: number.id,
    phone_number: number.phoneNumber,
    version: number.version,
    inbound_agent_id: number.inboundAgentId,
    outbound_agent_id: number.outboundAgentId,
    is_active: number.isActive,
  };
}
