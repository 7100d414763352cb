import { callType, disconnectionReason } from '@parley/contracts';
import { sql } from '@parley/kit/db';
import { realNow } from '@parley/kit/time';
import { z } from 'zod';
import type { Call } from './call.ts';

const text = z.string().nullable();
const instant = z.date().nullable();
const whole = z.number().nullable();

export const callRow = z.object({
  id: z.string(),
  workspace_id: z.string(),
  call_type: callType,
  phone_number_id: text,
  from_number: text,
  to_number: text,
  agent_id: z.string(),
  agent_version: z.number(),
  agent_webhook_url: text,
  campaign_id: text,
  contact_id: text,
  dynamic_variables: z.record(z.string(), z.unknown()),
  rate_cents: z.number(),
  fence: z.number(),
  created_at: z.date(),
  phase: z.enum(['queued', 'dialing', 'unknown', 'selecting_assistant', 'ringing', 'up', 'ended']),
  call_sid: text,
  started_at: instant,
  answered_at: instant,
  ended_at: instant,
  duration: whole,
  cost: whole,
  disconnection_reason: disconnectionReason.nullable(),
  machine_detected: z.boolean(),
  voicemail_message_left: z.boolean(),
  retryable: z.boolean(),
  stop_cause: z.enum(['stopped', 'workspace_suspended']).nullable(),
  recording_paused: z.boolean(),
  traceparent: text,
  max_duration_seconds: whole,
  carrier: text,
  carrier_state: z.unknown(),
  model_state: z.unknown(),
});

export type CallRow = z.infer<typeof callRow>;

/** The previous version requests stops without a cause. */
export const stopCause = sql`CASE WHEN stop_requested_at IS NOT NULL THEN coalesce(stop_cause, 'stopped') END`;

/** The columns of `callRow`. */
export const callColumns = sql`id::text, workspace_id::text, call_type, phone_number_id::text, from_number, to_number,
  agent_id::text, agent_version, agent_webhook_url, campaign_id::text, contact_id::text, dynamic_variables, rate_cents,
  fence, created_at, phase, call_sid, started_at, answered_at, ended_at, duration, cost, disconnection_reason,
  machine_detected, voicemail_message_left, retryable, ${stopCause} AS stop_cause,
  coalesce(recording_pause IN ('pausing', 'paused'), false) AS recording_paused, traceparent, max_duration_seconds, carrier,
  carrier_state, model_state`;

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
    readAt: realNow(),
    stopCause: row.stop_cause,
    isRecordingPaused: row.recording_paused,
    traceparent: row.traceparent,
    maxDurationSeconds: row.max_duration_seconds,
    carrier: row.carrier,
    carrierState: row.carrier_state ?? null,
    modelState: row.model_state ?? null,
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
