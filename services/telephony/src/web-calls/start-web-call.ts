import type { BodyOf, createWebCall as contract, ResponseOf } from '@parley/contracts';
import type { NoteChange } from '@parley/kit/amqp';
import { AppError, notFound } from '@parley/kit/errors';
import { type Auth, mayUseAgent, requireAgent } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { type AgentOfCallDeps, findAgentOfCall } from '../assistants/find-agent-of-call.ts';
import { type Ends, NO_LINKS, toCallDetail, toUnstartedRecord } from '../calls/call-record.ts';
import type { WorkspaceSettings } from '../clients/ports.ts';
import type { CallMutex } from '../limits/call-mutex.ts';
import { type DailySpend, requireAffordable } from '../limits/spend.ts';
import { workspaceSuspended } from '../limits/suspended.ts';
import { tooManyCalls } from '../limits/too-many-calls.ts';
import type { AccessTokens } from './access-token.ts';
import { joinableUntil } from './joinable.ts';
import type { NewWebCall, WebCalls } from './ports.ts';
import { checkPageData, publicKeyOf, requirePublicCapacity } from './public-key.ts';

export type StartWebCallDeps = AgentOfCallDeps & {
  callMutex: CallMutex;
  clock: Clock;
  settings: WorkspaceSettings;
  webCalls: WebCalls;
  spend: DailySpend;
  accessTokens: AccessTokens;
  noteChange: NoteChange;
  /** The base URL of the routes that join and attend a call. */
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

type Input = { auth: Auth; idempotency: Idempotency; body: BodyOf<typeof contract> };

/** Creates a web call, to be joined with the token of the response [web-calls.1]. */
export async function startWebCall(
  deps: StartWebCallDeps,
  { auth, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const { workspaceId } = auth;
  const agentId = body.agent_id.toLowerCase();
  const publicKey = publicKeyOf(auth);
  if (publicKey) {
    // The settings of a page's key are public, so the message may refer to them [trust.7].
    if (!mayUseAgent(auth, agentId))
      throw new AppError('FORBIDDEN', 'This API key may not use this assistant');
    checkPageData(body, publicKey.variables);
  } else requireAgent(auth, agentId);
  const [agent, limits] = await Promise.all([
    findAgentOfCall(deps, workspaceId, agentId),
    deps.settings.get(workspaceId),
  ]);
  if (!agent) throw notFound('Assistant');
  if (!limits) throw notFound('Workspace');
  if (limits.isSuspended) throw workspaceSuspended();
  const call: NewWebCall = {
    id: newId(),
    workspaceId,
    agent,
    dynamicVariables: body.dynamic_variables ?? body.dynamicVariables ?? {},
    metadata: body.metadata,
    rateCents: limits.rateCents,
    byPublicKey: publicKey ?? null,
    createdAt: deps.clock.now(),
  };
  const start = (): ReturnType<typeof startWebCall> =>
    deps.transact(async (tx) => {
      const counts = await deps.webCalls.countExactly(tx, workspaceId, publicKey?.keyId ?? null);
      if (counts.live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
      if (publicKey) requirePublicCapacity(counts, publicKey.maxLiveCalls, limits.maxLiveCalls);
      const { live } = counts;
      const isPublic = publicKey !== undefined;
      await requireAffordable(tx, deps, { workspaceId, limits, live, now: call.createdAt, isPublic });
      await deps.webCalls.insert(tx, call);
      return idempotency.answer(tx, {
        ...toCallDetail(toUnstartedRecord(call, NO_NUMBERS), NO_LINKS),
        access_token: deps.accessTokens.mint({ workspaceId, callId: call.id }),
        server_url: deps.webCallUrl,
        expires_at: toIsoMillis(joinableUntil(call.createdAt)),
      });
    });
  const started = await deps.callMutex(workspaceId, start);
  deps.noteChange(workspaceId, {
    type: 'call',
    id: call.id,
    what: 'created',
    at: toIsoMillis(call.createdAt),
  });
  return started;
}
