import { z } from 'zod';
import { isoMillis, jsonObject, uuid } from './primitives.ts';

export const CALL_TYPES = ['inbound', 'outbound', 'web'] as const;
export const callType = z.enum(CALL_TYPES);

export const CALL_STATUSES = ['queued', 'ringing', 'in-progress', 'completed'] as const;
/** D6.3: nothing leaves `completed`; the outcome is the disconnection reason, never the status. */
export const callStatus = z.enum(CALL_STATUSES);

/** How a call ended, as v2 stores it (D6.4). */
export const DISCONNECTION_REASONS = [
  'user_hangup',
  'agent_hangup',
  'completed',
  'timeout',
  'voicemail',
  'dial_no_answer',
  'dial_busy',
  'dial_failed',
  'call_transfer',
  'call_rejected',
  'error',
  'error_user_not_joined',
] as const;
export const disconnectionReason = z.enum(DISCONNECTION_REASONS);
export type DisconnectionReason = z.output<typeof disconnectionReason>;
export type CallStatus = z.output<typeof callStatus>;
export type CallType = z.output<typeof callType>;

/** Call (v2 list item). */
export const callListItem = z.object({
  id: uuid,
  workspace_id: uuid,
  agent_id: uuid.describe('All zeros for a call that came in and that no assistant was there for'),
  agent_name: z.string().nullable(),
  call_type: callType,
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  status: callStatus,
  duration: z.int().nullable().describe('Talk time in seconds; null before the end'),
  cost: z.int().nullable().describe('Cents; null before the end'),
  started_at: isoMillis.nullable(),
  answered_at: isoMillis.nullable(),
  ended_at: isoMillis.nullable(),
  disconnection_reason: disconnectionReason.nullable(),
  created_at: isoMillis,
  updated_at: isoMillis,
});

/** Call (v2 single read). */
export const callDetail = callListItem.extend({
  phone_number_id: uuid.nullable(),
  call_sid: z.string().nullable(),
  recording_url: z.string().nullable(),
  recording_sid: z.string().nullable(),
  summary: z.string().nullable(),
  transcript: z.string().nullable(),
  enhanced_transcript: z.string().nullable(),
  transcript_json: z
    .object({ conversation: z.array(z.object({ role: z.string(), content: z.string() })) })
    .nullable(),
  transcript_fix_count: z.int(),
  analysis_data: jsonObject.nullable(),
  dynamic_variables: jsonObject,
  metadata: jsonObject,
  campaign_id: uuid.nullable(),
  unresolved_placeholders: z.array(z.string()),
});

/** How a call ended, as the legacy routes tell it (D6.4). */
export const legacyReason = z.enum(['user_hangup', 'agent_hangup', 'completed', 'timeout', 'error']);

/** Call (legacy, unversioned routes). */
export const legacyCall = z.object({
  id: uuid,
  call_sid: z.string().nullable(),
  call_type: callType,
  from_number: z.string().nullable(),
  to_number: z.string().nullable(),
  status: callStatus,
  duration: z.int().optional().describe('Seconds; present after the call ends'),
  disconnection_reason: legacyReason.nullable(),
  started_at: isoMillis.nullable(),
  ended_at: isoMillis.nullable(),
  created_at: isoMillis,
  agent_id: uuid,
  phone_number_id: z.string().nullable(),
  summary: z.string().nullable(),
  analysis_data: jsonObject.nullable(),
});

/** The legacy single read: the legacy call and what else is known. */
export const legacyCallDetail = legacyCall.extend({
  transcript: z.string().nullable().describe('Plain text with speaker labels and timestamps'),
  enhanced_transcript: z.string().nullable(),
  dynamic_variables: jsonObject,
  agents: z.object({ agent_name: z.string().nullable() }).nullable(),
  phone_numbers: z.object({ phone_number: z.string(), friendly_name: z.string().nullable() }).nullable(),
});
