import type { BodyOf, createPhoneCall as contract, ResponseOf } from '@parley/contracts';
import { AppError, notFound, validationFailed } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import type { FindAgentsDeps } from '../agents/find-agents.ts';
import { keepCopy } from '../agents/keep-copy.ts';
import { toCallDetail } from '../call-history/call-record.ts';
import type { LinkSigner } from '../call-history/ports.ts';
import type { DoNotCallList } from '../do-not-call/ports.ts';
import type { NumberStore } from '../numbers/ports.ts';
import type { Transact, WorkspaceSettings } from '../ports.ts';
import { agentMissing, chooseAgent } from './choose-agent.ts';
import type { QueuedCalls } from './ports.ts';
import { toQueuedCall, toQueuedRecord } from './queued-call.ts';
import { tooManyCalls } from './too-many-calls.ts';

export type PlaceCallDeps = FindAgentsDeps & {
  transact: Transact;
  clock: Clock;
  numbers: NumberStore;
  settings: WorkspaceSettings;
  queuedCalls: QueuedCalls;
  doNotCall: Pick<DoNotCallList, 'holds'>;
  recordingLinks: LinkSigner;
  /** Tells the dialer that there is something to dial. */
  wakeDialer: () => void;
};

type Body = BodyOf<typeof contract>;
type Input = { workspaceId: string; idempotency: Idempotency; body: Body };

/**
 * Queues an outbound call (D6.1). It is dialled at the pace of its number; do-not-call is asked once more
 * right before the carrier is.
 */
export async function placeCall(
  deps: PlaceCallDeps,
  { workspaceId, idempotency, body }: Input,
): Promise<ResponseOf<typeof contract>> {
  const number = await deps.numbers.findByNumber(workspaceId, body.from_number);
  if (!number) throw notFound('Phone number');
  const agent = await chooseAgent(deps, number, body.agent_id);
  if (!number.isActive) throw inactive();
  if (await deps.doNotCall.holds(workspaceId, body.to_number)) throw unwanted();
  const limits = await deps.settings.get(workspaceId);
  if (!limits) throw notFound('Workspace');
  if (!(await keepCopy(deps, workspaceId, agent))) throw agentMissing(body.agent_id);
  const call = toQueuedCall({ body, number, agent, limits, now: deps.clock.now() });

  // As few statements as can be: the workspace's other callers wait for this transaction.
  const answer = await deps.transact(async (tx) => {
    const live = await deps.queuedCalls.countExactly(tx, workspaceId);
    if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
    await deps.queuedCalls.insert(tx, call);
    return idempotency.answer(tx, toCallDetail(toQueuedRecord(call), deps.recordingLinks));
  });
  deps.wakeDialer();
  return answer;
}

function inactive(): AppError {
  const message = 'from_number must be an active number';
  return validationFailed([{ path: 'from_number', code: 'not_allowed', message }]);
}

function unwanted(): AppError {
  return new AppError('DO_NOT_CALL', "to_number is on this workspace's do-not-call list");
}
