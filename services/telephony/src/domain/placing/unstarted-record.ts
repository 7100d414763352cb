import type { CallRecord } from '../call-history/call-record.ts';
import type { AssistantBrief } from '../ports.ts';

/** A call that somebody asked for and to which nothing has happened. */
export type UnstartedCall = {
  id: string;
  workspaceId: string;
  agent: AssistantBrief;
  dynamicVariables: Record<string, unknown>;
  metadata: Record<string, unknown>;
  createdAt: Date;
};

/** Between whom: a call on the web has no numbers. */
export type Ends = Pick<
  CallRecord,
  'call_type' | 'from_number' | 'to_number' | 'phone_number_id' | 'phone_number' | 'nickname'
>;

/** The call as it reads from now on. */
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
