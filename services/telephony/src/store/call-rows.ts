import type { CallType, DisconnectionReason } from '@parley/contracts';
import type { Call, CallPhase } from '../domain/calls/call.ts';

export type CallRow = {
  id: string;
  workspace_id: string;
  call_type: CallType;
  phone_number_id: string | null;
  from_number: string | null;
  to_number: string | null;
  agent_id: string;
  agent_version: number;
  agent_webhook_url: string | null;
  campaign_id: string | null;
  contact_id: string | null;
  dynamic_variables: Record<string, unknown>;
  rate_cents: number;
  fence: number;
  created_at: Date;
  phase: CallPhase;
  call_sid: string | null;
  started_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  duration: number | null;
  cost: number | null;
  disconnection_reason: DisconnectionReason | null;
  machine_detected: boolean;
  voicemail_message_left: boolean;
  retryable: boolean;
  stop_requested: boolean;
  traceparent: string | null;
};

/** What a worker needs of `calls`. */
export const CALL_COLUMNS = `id::text, workspace_id::text, call_type, phone_number_id::text, from_number, to_number,
  agent_id::text, agent_version, agent_webhook_url, campaign_id::text, contact_id::text, dynamic_variables, rate_cents,
  fence, created_at, phase, call_sid, started_at, answered_at, ended_at, duration, cost, disconnection_reason,
  machine_detected, voicemail_message_left, retryable, stop_requested_at IS NOT NULL AS stop_requested, traceparent`;

export function toCall(row: CallRow): Call {
  const { campaign_id: campaignId, contact_id: contactId } = row;
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    callType: row.call_type,
    phoneNumberId: row.phone_number_id,
    fromNumber: row.from_number,
    toNumber: row.to_number,
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    agentWebhookUrl: row.agent_webhook_url,
    campaign: campaignId && contactId ? { campaignId, contactId } : null,
    dynamicVariables: row.dynamic_variables,
    rateCents: row.rate_cents,
    fence: row.fence,
    createdAt: row.created_at,
    stopRequested: row.stop_requested,
    traceparent: row.traceparent,
    state: {
      phase: row.phase,
      callSid: row.call_sid,
      startedAt: row.started_at,
      answeredAt: row.answered_at,
      endedAt: row.ended_at,
      duration: row.duration,
      cost: row.cost,
      reason: row.disconnection_reason,
      machineDetected: row.machine_detected,
      voicemailMessageLeft: row.voicemail_message_left,
      retryable: row.retryable,
    },
  };
}
