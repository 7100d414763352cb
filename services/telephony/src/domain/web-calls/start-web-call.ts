import type { BodyOf, createWebCall as contract, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { type FindAgentsDeps, findAgents } from '../agents/find-agents.ts';
import { keepCopy } from '../agents/keep-copy.ts';
import { toCallDetail } from '../call-history/call-record.ts';
import type { LinkSigner } from '../call-history/ports.ts';
import { tooManyCalls } from '../placing/too-many-calls.ts';
import { type Ends, toUnstartedRecord } from '../placing/unstarted-record.ts';
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

const NO_NUMBERS: Ends = {
  call_type: 'web',
  from_number: null,
  to_number: null,
  phone_number_id: null,
  phone_number: null,
  nickname: null,
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
      ...toCallDetail(toUnstartedRecord(call, NO_NUMBERS), deps.recordingLinks),
      access_token: deps.accessTokens.mint({ workspaceId, callId: call.id }),
      server_url: deps.webCallUrl,
      expires_at: toIsoMillis(joinableUntil(call.createdAt)),
    });
  });
}
