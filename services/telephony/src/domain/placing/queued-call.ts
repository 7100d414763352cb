import type { BodyOf, createPhoneCall } from '@parley/contracts';
import { newId } from '@parley/kit/ids';
import type { CallRecord } from '../call-history/call-record.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import type { AssistantBrief, WorkspaceLimits } from '../ports.ts';

/** A call that waits to be dialled. */
export type QueuedCall = {
  id: string;
  number: PhoneNumber;
  agent: AssistantBrief;
  toNumber: string;
  dynamicVariables: Record<string, unknown>;
  metadata: Record<string, unknown>;
  rateCents: number;
  createdAt: Date;
};

type Parts = {
  body: BodyOf<typeof createPhoneCall>;
  number: PhoneNumber;
  agent: AssistantBrief;
  limits: WorkspaceLimits;
  now: Date;
};

export function toQueuedCall({ body, number, agent, limits, now }: Parts): QueuedCall {
  return {
    id: newId(),
    number,
    agent,
    toNumber: body.to_number,
    dynamicVariables: body.dynamic_variables ?? body.dynamicVariables ?? {},
    metadata: body.metadata,
    rateCents: limits.rateCents,
    createdAt: now,
  };
}

/** The call as it reads from now on: nothing has happened to it yet. */
export function toQueuedRecord({ number, agent, createdAt, ...call }: QueuedCall): CallRecord {
  return {
    id: call.id,
    workspace_id: number.workspaceId,
    agent_id: agent.agentId,
    agent_name: agent.agentName,
    call_type: 'outbound',
    from_number: number.phoneNumber,
    to_number: call.toNumber,
    status: 'queued',
    duration: null,
    cost: null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    disconnection_reason: null,
    created_at: createdAt,
    updated_at: createdAt,
    phone_number_id: number.id,
    phone_number: number.phoneNumber,
    nickname: number.nickname,
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
