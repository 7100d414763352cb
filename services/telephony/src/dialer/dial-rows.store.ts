import type { WaitingDial } from './plan-grants.ts';

export type RequestRow = {
  call_id: string;
  workspace_id: string;
  phone_number_id: string;
  agent_id: string;
  to_number: string;
  dynamic_variables: Record<string, unknown>;
  requested_at: Date;
  campaign_id: string | null;
  contact_id: string | null;
  generation: number | null;
  not_after: Date | null;
};

const oldest = (whose: string, most: string): string => `(
    SELECT * FROM dial_requests
    WHERE phone_number_id = asked.id::uuid AND state = 'waiting' AND campaign_id IS ${whose}
      AND agent_id <> ALL ($3::uuid[])
    ORDER BY requested_at, call_id LIMIT asked.${most}
  )`;

/** Campaigns may have to wait for room in their workspace: single calls are looked for beside them. */
export const OLDEST_REQUESTS = `
  SELECT r.call_id::text, r.workspace_id::text, r.phone_number_id::text, r.agent_id::text, r.to_number,
    r.dynamic_variables, r.requested_at, r.campaign_id::text, r.contact_id::text, r.generation, r.not_after
  FROM unnest($1::text[], $2::int[], $4::int[]) AS asked (id, single, of_campaigns)
  CROSS JOIN LATERAL (${oldest('NULL', 'single')} UNION ALL ${oldest('NOT NULL', 'of_campaigns')}) r
  ORDER BY r.requested_at, r.call_id`;

export function toWaitingDial(row: RequestRow): WaitingDial {
  const { campaign_id: campaignId, contact_id: contactId, generation, not_after: notAfter } = row;
  return {
    callId: row.call_id,
    workspaceId: row.workspace_id,
    phoneNumberId: row.phone_number_id,
    agentId: row.agent_id,
    toNumber: row.to_number,
    dynamicVariables: row.dynamic_variables,
    requestedAt: row.requested_at,
    campaign:
      campaignId && contactId && generation !== null ? { campaignId, contactId, generation, notAfter } : null,
  };
}
