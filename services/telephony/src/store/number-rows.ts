import type { PhoneNumber, PhoneNumberView, Provider } from '../domain/numbers/phone-number.ts';

export type NumberRow = {
  id: string;
  workspace_id: string;
  phone_number: string;
  nickname: string | null;
  provider: Provider;
  is_active: boolean;
  max_cps: number;
  inbound_agent_id: string | null;
  outbound_agent_id: string | null;
  inbound_webhook_url: string | null;
  version: number;
  created_at: Date;
  updated_at: Date;
  inbound_agent_name?: string | null;
  outbound_agent_name?: string | null;
};

export const NUMBER_COLUMNS = `n.id, n.workspace_id, n.phone_number, n.nickname, n.provider, n.is_active, n.max_cps,
  n.inbound_agent_id, n.outbound_agent_id, n.inbound_webhook_url, n.version, n.created_at, n.updated_at`;

export const VIEW_COLUMNS = `${NUMBER_COLUMNS}, i.agent_name AS inbound_agent_name, o.agent_name AS outbound_agent_name`;

export const VIEW_JOINS = `
  LEFT JOIN agents i ON i.agent_id = n.inbound_agent_id AND i.workspace_id = n.workspace_id AND NOT i.deleted
  LEFT JOIN agents o ON o.agent_id = n.outbound_agent_id AND o.workspace_id = n.workspace_id AND NOT o.deleted`;

export function toNumber(row: NumberRow): PhoneNumber {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    phoneNumber: row.phone_number,
    nickname: row.nickname,
    provider: row.provider,
    isActive: row.is_active,
    maxCps: row.max_cps,
    inboundAgentId: row.inbound_agent_id,
    outboundAgentId: row.outbound_agent_id,
    inboundWebhookUrl: row.inbound_webhook_url,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toNumberView(row: NumberRow): PhoneNumberView {
  return {
    ...toNumber(row),
    inboundAgentName: row.inbound_agent_name ?? null,
    outboundAgentName: row.outbound_agent_name ?? null,
  };
}
