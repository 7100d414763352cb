import { AppError, isConnectivityError } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Transact, WorkspaceLimits } from '../clients/ports.ts';
import type { CallMutex } from '../limits/call-mutex.ts';
import { type DailySpend, requireAffordable } from '../limits/spend.ts';
import { tooManyCalls } from '../limits/too-many-calls.ts';
import type { QueuedCall, QueuedCalls } from './queued-calls.store.ts';

export type WritePlacedCallsDeps = {
  transact: Transact;
  callMutex: CallMutex;
  queuedCalls: QueuedCalls;
  spend: DailySpend;
};

/** A call to write, its workspace's limits, and the response to store with it. */
export type Placement<R = unknown> = {
  call: QueuedCall;
  limits: WorkspaceLimits;
  idempotency: Idempotency;
  response: R;
};

/** Writes a call and its response; throws the error of a limit that it exceeds. */
export type WritePlacedCall = <R>(placement: Placement<R>) => Promise<R>;

/** Calls of one transaction. */
const MAX_TOGETHER = 20;

type Outcome = { response: unknown } | { error: unknown };
/** `isAlone`: a transaction with several calls failed, perhaps because of this one. */
type Waiting = { placement: Placement; isAlone: boolean; outcome?: Outcome };

/**
 * Writes placed calls. The exact count of live calls [general.19] allows only one transaction of a workspace at a time, so each call waits
 * for the workspace's mutex; the first in the queue writes those behind it as well. With a transaction for each, every call would wait
 * longer than the one before as soon as a transaction takes longer than the time between two calls.
 */
export function createWritePlacedCall(deps: WritePlacedCallsDeps): WritePlacedCall {
  const queues = new Map<string, Set<Waiting>>();
  return async <R>(placement: Placement<R>): Promise<R> => {
    const { workspaceId } = placement.call.number;
    const own: Waiting = { placement, isAlone: false };
    const queue = queues.get(workspaceId) ?? new Set();
    queues.set(workspaceId, queue.add(own));
    try {
      await deps.callMutex(workspaceId, async () => {
        if (!own.outcome) await writeFirst(deps, own, queue);
      });
    } finally {
      queue.delete(own);
      if (queue.size === 0) queues.delete(workspaceId);
    }
    return responseOf(own) as R;
  };
}

function responseOf({ outcome }: Waiting): unknown {
  if (!outcome) throw new Error('a placed call was not written');
  if ('error' in outcome) throw outcome.error;
  return outcome.response;
}

/** Writes `own` and those behind it. Only `own` fails if the transaction doesn't begin: its client may have gone. */
async function writeFirst(deps: WritePlacedCallsDeps, own: Waiting, queue: Iterable<Waiting>): Promise<void> {
  const behind = [...queue].filter((each) => each !== own && !each.outcome && !each.isAlone);
  const group = own.isAlone ? [own] : [own, ...behind].slice(0, MAX_TOGETHER);
  let hasBegun = false;
  const onBegin = (): void => {
    hasBegun = true;
  };
  try {
    await writeTogether(deps, group, onBegin);
  } catch (error) {
    if (!hasBegun || group.length === 1) throw error;
    // They may have been committed.
    if (isConnectivityError(error)) for (const each of group) each.outcome = { error };
    else {
      for (const each of group) each.isAlone = true;
      await writeTogether(deps, [own], onBegin);
    }
  }
}

/** As few statements as possible: the workspace's other calls wait for this transaction. */
async function writeTogether(
  { transact, queuedCalls, spend }: WritePlacedCallsDeps,
  group: readonly Waiting[],
  onBegin: () => void,
): Promise<void> {
  const outcomes = await transact(async (tx) => {
    onBegin();
    const results = new Map<Waiting, Outcome>();
    const workspaceId = group[0]?.placement.call.number.workspaceId ?? '';
    const before = await queuedCalls.countExactly(tx, workspaceId);
    const accepted: Placement[] = [];
    for (const each of group) {
      const { limits, call, response } = each.placement;
      const live = before + accepted.length;
      try {
        if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
        await requireAffordable(tx, { spend }, { workspaceId, limits, live, now: call.createdAt });
        accepted.push(each.placement);
        results.set(each, { response });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        results.set(each, { error });
      }
    }
    const calls = accepted.map(({ call }) => call);
    await queuedCalls.insert(tx, calls);
    for (const { idempotency, response } of accepted) await idempotency.answer(tx, response);
    return results;
  });
  for (const [each, outcome] of outcomes) each.outcome = outcome;
}
