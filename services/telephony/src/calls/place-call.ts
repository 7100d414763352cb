import type { BodyOf, createPhoneCall as contract, ResponseOf } from '@parley/contracts';
import type { NoteChange } from '@parley/kit/amqp';
import { AppError, notFound, validationFailed } from '@parley/kit/errors';
import { type Auth, mayUseAgent } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { type AgentOfCallDeps, findAgentOfCall } from '../assistants/find-agent-of-call.ts';
import { NO_CARRIER, NONE } from '../carriers/no-carrier.ts';
import type { CarrierChoice } from '../carriers/registry.ts';
import type { AssistantBrief, WorkspaceSettings } from '../clients/ports.ts';
import type { DoNotCallList } from '../dialer/do-not-call/ports.ts';
import type { CallMutex } from '../limits/call-mutex.ts';
import { destinationNotAllowed, isAllowedNumber } from '../limits/destinations.ts';
import { type DailySpend, requireAffordable } from '../limits/spend.ts';
import { workspaceSuspended } from '../limits/suspended.ts';
import type { NumberStore } from '../numbers/numbers.store.ts';
import type { PhoneNumber } from '../numbers/phone-number.ts';
import { NO_LINKS, toCallDetail, toUnstartedRecord } from './call-record.ts';
import type { QueuedCall, QueuedCalls } from './queued-calls.store.ts';

export type PlaceCallDeps = AgentOfCallDeps & {
  callMutex: CallMutex;
  clock: Clock;
  numbers: Pick<NumberStore, 'findByNumber'>;
  settings: WorkspaceSettings;
  queuedCalls: QueuedCalls;
  doNotCall: Pick<DoNotCallList, 'holds'>;
  spend: DailySpend;
  carriers: CarrierChoice;
  noteChange: NoteChange;
};

type Input = { auth: Auth; idempotency: Idempotency; body: BodyOf<typeof contract> };

const RETRY_AFTER_SECONDS = 5;

/** Queues an outbound call [calls.1]. The dialer paces it and checks do-not-call again before it dials [calls.3]. */
export async function placeCall(
  deps: PlaceCallDeps,
  { auth, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const { workspaceId } = auth;
  // In parallel: on a busy machine each of them waits for other services.
  const [{ number, agent }, isListed, limits] = await Promise.all([
    findEnds(deps, auth, body),
    deps.doNotCall.holds(workspaceId, body.to_number),
    deps.settings.get(workspaceId),
  ]);
  if (!number.isActive) {
    const message = 'from_number must be an active number';
    throw validationFailed([{ path: 'from_number', code: 'not_allowed', message }]);
  }
  if (deps.carriers[number.provider] === NONE) throw new AppError('CARRIER_ERROR', NO_CARRIER);
  if (isListed) throw new AppError('DO_NOT_CALL', "to_number is on this workspace's do-not-call list");
  if (!limits) throw notFound('Workspace');
  if (limits.isSuspended) throw workspaceSuspended();
  if (!isAllowedNumber(body.to_number, limits.allowedDestinations))
    throw destinationNotAllowed(limits.allowedDestinations);
  const call: QueuedCall = {
    id: newId(),
    number,
    agent,
    toNumber: body.to_number,
    dynamicVariables: body.dynamic_variables ?? body.dynamicVariables ?? {},
    metadata: body.metadata,
    rateCents: limits.rateCents,
    createdAt: deps.clock.now(),
  };

  // As few statements as possible: the workspace's other calls wait for this transaction.
  const queue = (): ReturnType<typeof placeCall> =>
    deps.transact(async (tx) => {
      const live = await deps.queuedCalls.countExactly(tx, workspaceId);
      if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
      await requireAffordable(tx, deps, { workspaceId, limits, live, now: call.createdAt });
      await deps.queuedCalls.insert(tx, call);
      return idempotency.answer(tx, toCallDetail(toQueuedRecord(call), NO_LINKS));
    });
  const queued = await deps.callMutex(workspaceId, queue);
  deps.noteChange(workspaceId, {
    type: 'call',
    id: call.id,
    what: 'created',
    at: toIsoMillis(call.createdAt),
  });
  return queued;
}

/** The number, and the given assistant or the number's for outbound calls. A missing number is reported before a missing assistant. */
async function findEnds(
  deps: PlaceCallDeps,
  auth: Auth,
  { from_number: phoneNumber, agent_id: agentId }: Input['body'],
): Promise<{ number: PhoneNumber; agent: AssistantBrief }> {
  const findNumber = deps.numbers.findByNumber(auth.workspaceId, phoneNumber);
  const [number, given] = await Promise.all([findNumber, agentId && findAgent(deps, auth, agentId)]);
  if (!number) throw notFound('Phone number');
  const agent = agentId ? given : await findAgent(deps, auth, number.outboundAgentId);
  if (!agent) throw agentMissing(agentId);
  return { number, agent };
}

/** Assistants that a key may not use read as missing [trust.9]. */
async function findAgent(
  deps: PlaceCallDeps,
  auth: Auth,
  agentId: string | null,
): Promise<AssistantBrief | undefined> {
  const id = agentId?.toLowerCase();
  if (id === undefined || !mayUseAgent(auth, id)) return undefined;
  return findAgentOfCall(deps, auth.workspaceId, id);
}

/** The given assistant is missing (404), or the number has none (422). */
function agentMissing(given: string | undefined): AppError {
  if (given !== undefined) return notFound('Assistant');
  const message = 'agent_id is required: the number has no assistant for outbound calls';
  return validationFailed([{ path: 'agent_id', code: 'required', message }]);
}

function toQueuedRecord({ number, toNumber, ...call }: QueuedCall) {
  return toUnstartedRecord(
    { ...call, workspaceId: number.workspaceId },
    {
      call_type: 'outbound',
      from_number: number.phoneNumber,
      to_number: toNumber,
      phone_number_id: number.id,
      phone_number: number.phoneNumber,
      nickname: number.nickname,
    },
  );
}

/** `429 CONCURRENCY_LIMIT` [general.19]. */
export function tooManyCalls(limit: number): AppError {
  return new AppError(
    'CONCURRENCY_LIMIT',
    `This workspace has reached its limit of ${limit} concurrent calls`,
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );
}
