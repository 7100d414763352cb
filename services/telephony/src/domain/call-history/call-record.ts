import type { CallStatus, CallType, callDetail, callListItem, DisconnectionReason } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import type { z } from 'zod';
import type { LinkSigner } from './ports.ts';

/** What lists show of a call. */
export type CallHead = {
  id: string;
  workspace_id: string;
  agent_id: string;
  /** Null once the assistant is deleted. */
  agent_name: string | null;
  call_type: CallType;
  from_number: string | null;
  to_number: string | null;
  status: CallStatus;
  duration: number | null;
  cost: number | null;
  started_at: Date | null;
  answered_at: Date | null;
  ended_at: Date | null;
  disconnection_reason: DisconnectionReason | null;
  created_at: Date;
  updated_at: Date;
};

export type CallRecord = CallHead & {
  /** Null once the number is deleted (D5.4), as what is known of it. */
  phone_number_id: string | null;
  phone_number: string | null;
  nickname: string | null;
  call_sid: string | null;
  recording_key: string | null;
  recording_sid: string | null;
  summary: string | null;
  transcript: string | null;
  enhanced_transcript: string | null;
  transcript_json: z.output<typeof callDetail>['transcript_json'];
  transcript_fix_count: number;
  analysis_data: Record<string, unknown> | null;
  dynamic_variables: Record<string, unknown>;
  metadata: Record<string, unknown>;
  campaign_id: string | null;
  unresolved_placeholders: string[];
};

/** Call (v2 list item) of the specification. */
export function toCallListItem(call: CallHead): z.output<typeof callListItem> {
  return {
    ...call,
    started_at: call.started_at && toIsoMillis(call.started_at),
    answered_at: call.answered_at && toIsoMillis(call.answered_at),
    ended_at: call.ended_at && toIsoMillis(call.ended_at),
    created_at: toIsoMillis(call.created_at),
    updated_at: toIsoMillis(call.updated_at),
  };
}

/** Call (v2 single read) of the specification; the link to the recording is signed afresh (D6.9). */
export function toCallDetail(call: CallRecord, links: LinkSigner): z.output<typeof callDetail> {
  const { phone_number, nickname, recording_key, ...shown } = call;
  const recording_url = recording_key === null ? null : links.sign(recording_key);
  return { ...shown, ...toCallListItem(call), recording_url };
}
