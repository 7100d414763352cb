import type { BodyOf, createWebCall as contract, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { type FindAgentsDeps, findAgents } from '../agents/find-agents.ts';
import { keepCopy } from '../agents/keep-copy.ts';
import { type CallRecord, toCallDetail } from '../call-history/call-record.ts';
import type { LinkSigner } from '../call-history/ports.ts';
import { tooManyCalls } from '../placing/too-many-calls.ts';
import type { Transact, WorkspaceSettings } from '../ports.ts';
import type { AccessTokens } from './access-token.ts';
import { joinableUntil } from './joinable.ts';
import type { NewWebCall, WebCalls } from './ports.ts';

export type StartWebCallDeps = FindAgentsDeps & {
  transact: Transact;
  clock: Clock;
  settings: WorkspaceSettings;
  webCalls: WebCalls;
  accessTokens: AccessTokens;
  recordingLinks: LinkSigner;
  /** Where web calls are joined. */
  webCallUrl: string;
};

type Input = { workspaceId: string; idempotency: Idempotency; body: BodyOf<typeof contract> };

/** A call that waits for somebody to join it, by the token that is answered (D6.2). */
export async function startWebCall(
  deps: StartWebCallDeps,
  { workspaceId, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const agentId = body.agent_id.toLowerCase();
  const agent = (await findAgents(deps, workspaceId, [agentId])).get(agentId);
  if (!agent) throw notFound('Assistant');
  const limits = await deps.settings.get(workspaceId);
  if (!limits) throw notFound('Workspace');
  if (!(await keepCopy(deps, workspaceId, agent))) throw notFound('Assistant');
  const call: NewWebCall = {
    id: newId(),
    workspaceId,
    agent,
    dynamicVariables: body.dynamic_variables,
    metadata: body.metadata,
    rateCents: limits.rateCents,
    createdAt: deps.clock.now(),
  };
  return deps.transact(async (tx) => {
    const live = await deps.webCalls.countExactly(tx, workspaceId);
    if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
    await deps.webCalls.insert(tx, call);
    return idempotency.answer(tx, {
      ...toCallDetail(toRecord(call), deps.recordingLinks),
      access_token: deps.accessTokens.mint({ workspaceId, callId: call.id }),
      server_url: deps.webCallUrl,
      expires_at: toIsoMillis(joinableUntil(call.createdAt)),
    });
  });
}

/** The call as it reads from now on: nothing has happened to it, and it has no numbers. */
function toRecord({ id, workspaceId, agent, dynamicVariables, metadata, createdAt }: NewWebCall): CallRecord {
  return {
    id,
    workspace_id: workspaceId,
    agent_id: agent.agentId,
    agent_name: agent.agentName,
    call_type: 'web',
    from_number: null,
    to_number: null,
    status: 'queued',
    duration: null,
    cost: null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    disconnection_reason: null,
    created_at: createdAt,
    updated_at: createdAt,
    phone_number_id: null,
    phone_number: null,
    nickname: null,
    call_sid: null,
    recording_key: null,
    recording_sid: null,
    summary: null,
    transcript: null,
    enhanced_transcript: null,
    transcript_json: null,
    transcript_fix_count: 0,
    analysis_data: null,
    dynamic_variables: dynamicVariables,
    metadata,
    campaign_id: null,
    unresolved_placeholders: [],
  };
}
