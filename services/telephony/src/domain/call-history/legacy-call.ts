import type { legacyCall, legacyCallDetail } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import type { CallRecord } from './call-record.ts';
import { toLegacyReason } from './legacy-reason.ts';
import { type SpokenTurn, toPlainTranscript } from './plain-transcript.ts';

export type LegacyRecord = Pick<
  CallRecord,
  | 'id'
  | 'call_sid'
  | 'call_type'
  | 'from_number'
  | 'to_number'
  | 'status'
  | 'duration'
  | 'disconnection_reason'
  | 'started_at'
  | 'ended_at'
  | 'created_at'
  | 'agent_id'
  | 'phone_number_id'
  | 'summary'
  | 'analysis_data'
>;

/** Call (legacy) of the specification. */
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

/** The legacy single read: it also tells the conversation, the assistant and the number. */
export function toLegacyDetail(
  call: CallRecord,
  turns: readonly SpokenTurn[],
): z.output<typeof legacyCallDetail> {
  const { phone_number, nickname } = call;
  return {
    ...toLegacyCall(call),
    // As in version 2, there is none before the analysis.
    transcript: call.transcript === null ? null : toPlainTranscript(turns),
    enhanced_transcript: call.enhanced_transcript,
    dynamic_variables: call.dynamic_variables,
    agents: { agent_name: call.agent_name },
    phone_numbers: phone_number === null ? null : { phone_number, friendly_name: nickname },
  };
}
