import type { DisconnectionReason, legacyCall, legacyCallDetail, legacyReason } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import { type CallRecord, callRecord } from './call-record.ts';
import { type SpokenTurn, toPlainTranscript } from './plain-transcript.ts';

export const legacyRecord = callRecord.pick({
  id: true,
  call_sid: true,
  call_type: true,
  from_number: true,
  to_number: true,
  status: true,
  duration: true,
  disconnection_reason: true,
  started_at: true,
  ended_at: true,
  created_at: true,
  agent_id: true,
  phone_number_id: true,
  summary: true,
  analysis_data: true,
});

export type LegacyRecord = z.infer<typeof legacyRecord>;

export function toLegacyCall(call: LegacyRecord): z.output<typeof legacyCall> {
  return {
    id: call.id,
    call_sid: call.call_sid,
    call_type: call.call_type,
    from_number: call.from_number,
    to_number: call.to_number,
    status: call.status,
    ...(call.duration === null ? {} : { duration: call.duration }),
    disconnection_reason: toLegacyReason(call.disconnection_reason),
    started_at: call.started_at && toIsoMillis(call.started_at),
    ended_at: call.ended_at && toIsoMillis(call.ended_at),
    created_at: toIsoMillis(call.created_at),
    agent_id: call.agent_id,
    phone_number_id: call.phone_number_id,
    summary: call.summary,
    analysis_data: call.analysis_data,
  };
}

/** The legacy single read adds the conversation, the assistant and the number. */
export function toLegacyDetail(
  call: CallRecord,
  turns: readonly SpokenTurn[],
): z.output<typeof legacyCallDetail> {
  const { phone_number, nickname } = call;
  return {
    ...toLegacyCall(call),
    // As in version 2, null before the analysis.
    transcript: call.transcript === null ? null : toPlainTranscript(turns),
    enhanced_transcript: call.enhanced_transcript,
    dynamic_variables: call.dynamic_variables,
    agents: { agent_name: call.agent_name },
    phone_numbers: phone_number === null ? null : { phone_number, friendly_name: nickname },
  };
}

type LegacyReason = z.output<typeof legacyReason>;

const LEGACY: Record<DisconnectionReason, LegacyReason> = {
  user_hangup: 'user_hangup',
  agent_hangup: 'agent_hangup',
  completed: 'completed',
  timeout: 'timeout',
  voicemail: 'completed',
  call_transfer: 'completed',
  dial_no_answer: 'error',
  dial_busy: 'error',
  dial_failed: 'error',
  call_rejected: 'error',
  error: 'error',
  error_user_not_joined: 'error',
};

/** The end of a call in the legacy shape [calls.6]. */
export function toLegacyReason(reason: DisconnectionReason | null): LegacyReason | null {
  return reason && LEGACY[reason];
}
