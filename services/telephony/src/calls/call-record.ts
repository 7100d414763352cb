import {
  CALL_STATUSES,
  callDetail,
  type callListItem,
  callType,
  disconnectionReason,
} from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';
import { z } from 'zod';
import type { AssistantBrief } from '../clients/ports.ts';

const text = z.string().nullable();
const instant = z.date().nullable();
const object = z.record(z.string(), z.unknown());

/** A call as lists read it. */
export const callHead = z.object({
  id: z.string(),
  workspace_id: z.string(),
  agent_id: z.string(),
  /** Null once the assistant is deleted. */
  agent_name: text,
  call_type: callType,
  from_number: text,
  to_number: text,
  status: z.enum(CALL_STATUSES),
  duration: z.number().nullable(),
  cost: z.number().nullable(),
  started_at: instant,
  answered_at: instant,
  ended_at: instant,
  disconnection_reason: disconnectionReason.nullable(),
  created_at: z.date(),
  updated_at: z.date(),
});

export const callRecord = callHead.extend({
  /** Null once the number is deleted [numbers.10], as are its fields. */
  phone_number_id: text,
  phone_number: text,
  nickname: text,
  call_sid: text,
  recording_key: text,
  recording_sid: text,
  summary: text,
  transcript: text,
  enhanced_transcript: text,
  transcript_json: callDetail.shape.transcript_json,
  transcript_fix_count: z.number(),
  analysis_data: object.nullable(),
  dynamic_variables: object,
  metadata: object,
  campaign_id: text,
  unresolved_placeholders: z.array(z.string()),
});

export type CallHead = z.infer<typeof callHead>;
export type CallRecord = z.infer<typeof callRecord>;

/** Signs links to recordings [calls.12]. */
export type LinkSigner = { sign(recordingKey: string): string };

/** For a call that has no recording yet. */
export const NO_LINKS: LinkSigner = {
  sign: () => {
    throw new Error('a call that was just created has no recording');
  },
};

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

/** The single read [calls.9], with a newly signed link to the recording. */
export function toCallDetail(call: CallRecord, links: LinkSigner): z.output<typeof callDetail> {
  const { phone_number, nickname, recording_key, ...shown } = call;
  const recording_url = recording_key === null ? null : links.sign(recording_key);
  return { ...shown, ...toCallListItem(call), recording_url };
}

/** A new call that is waiting to be dialed or joined. */
export type UnstartedCall = {
  id: string;
  workspaceId: string;
  agent: AssistantBrief;
  dynamicVariables: Record<string, unknown>;
  metadata: Record<string, unknown>;
  createdAt: Date;
};

/** The two ends of a call; a web call has no numbers. */
export type Ends = Pick<
  CallRecord,
  'call_type' | 'from_number' | 'to_number' | 'phone_number_id' | 'phone_number' | 'nickname'
>;

/** What reading the new call returns. */
export function toUnstartedRecord(call: UnstartedCall, ends: Ends): CallRecord {
  return {
    ...ends,
    id: call.id,
    workspace_id: call.workspaceId,
    agent_id: call.agent.agentId,
    agent_name: call.agent.agentName,
    status: 'queued',
    duration: null,
    cost: null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    disconnection_reason: null,
    created_at: call.createdAt,
    updated_at: call.createdAt,
    call_sid: null,
    recording_key: null,
    recording_sid: null,
    summary: null,
    transcript: null,
    enhanced_transcript: null,
    transcript_json: null,
    transcript_fix_count: 0,
    analysis_data: null,
    dynamic_variables: call.dynamicVariables,
    metadata: call.metadata,
    campaign_id: null,
    unresolved_placeholders: [],
  };
}
