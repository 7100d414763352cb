import { createDeferred } from '@parley/kit/concurrency';
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

type Waiting = {
  placement: Placement;
  /** A transaction with several calls failed, perhaps because of this one. */
  isAlone: boolean;
  /** Resolves when the transaction that contains it is over. */
  writing?: Promise<void> | undefined;
  outcome?: Outcome;
};

/**
 * Writes placed calls. The exact count of live calls [general.19] allows only one transaction of a workspace at a time, so each call waits
 * for the workspace's mutex; the first in the queue writes those behind it as well. With a transaction for each, every call would wait
 * longer than the one before as soon as a transaction takes longer than the time between two calls (ADR 70).
 */
export function createWritePlacedCall(deps: WritePlacedCallsDeps): WritePlacedCall {
  const queues = new Map<string, Set<Waiting>>();
  return async <R>(placement: Placement<R>): Promise<R> => {
    const { workspaceId } = placement.call.number;
    const own: Waiting = { placement, isAlone: false };
    const queue = queues.get(workspaceId) ?? new Set();
    queues.set(workspaceId, queue.add(own));
    try {
      await deps.callMutex(workspaceId, () => writeFirst(deps, own, queue));
    } catch (err) {
      // It has waited too long, but is being written now: a client that is told to retry would call twice.
      await own.writing;
      if (!own.outcome) throw err;
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

/** Writes `own` with those behind it, until it has an outcome. */
async function writeFirst(
  deps: WritePlacedCallsDeps,
  own: Waiting,
  queue: ReadonlySet<Waiting>,
): Promise<void> {
  while (!own.outcome) {
    const isOver = createDeferred<void>();
    const begin = (): Waiting[] => {
      const behind = [...queue].filter((each) => each !== own && !each.outcome && !each.isAlone);
      const group = own.isAlone ? [own] : [own, ...behind].slice(0, MAX_TOGETHER);
      for (const each of group) each.writing = isOver.promise;
      return group;
    };
    try {
      await writeTogether(deps, own.placement.call.number.workspaceId, begin);
    } catch (error) {
      const group = [...queue].filter(({ writing }) => writing === isOver.promise);
      fail(group, error);
    } finally {
      for (const each of queue) if (each.writing === isOver.promise) each.writing = undefined;
      isOver.resolve();
    }
  }
}

/** Decides what a failed transaction means for its calls. Throws what means only the first: it did not begin, or contained no other. */
function fail(group: readonly Waiting[], error: unknown): void {
  if (error instanceof AnswerFailed) error.of.outcome = { error: error.cause };
  else if (group.length <= 1) throw error;
  // They may have been committed.
  else if (isConnectivityError(error)) for (const each of group) each.outcome = { error };
  else for (const each of group) each.isAlone = true;
}

/** The response of a call cannot be stored: another request took over its key. */
class AnswerFailed extends Error {
  readonly of: Waiting;
  constructor(of: Waiting, cause: unknown) {
    super('the response of a placed call was not stored', { cause });
    this.of = of;
  }
}

/** As few statements as possible: the workspace's other calls wait for this transaction. `begin` returns the calls, those that wait then. */
async function writeTogether(
  { transact, queuedCalls, spend }: WritePlacedCallsDeps,
  workspaceId: string,
  begin: () => Waiting[],
): Promise<void> {
  const outcomes = await transact(async (tx) => {
    const before = await queuedCalls.countExactly(tx, workspaceId);
    const results = new Map<Waiting, Outcome>();
    const accepted: Waiting[] = [];
    for (const each of begin()) {
      const { limits, call, response } = each.placement;
      const live = before + accepted.length;
      try {
        if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
        await requireAffordable(tx, { spend }, { workspaceId, limits, live, now: call.createdAt });
        accepted.push(each);
        results.set(each, { response });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        results.set(each, { error });
      }
    }
    const calls = accepted.map(({ placement }) => placement.call);
    await queuedCalls.insert(tx, calls);
    for (const each of accepted) {
      const { idempotency, response } = each.placement;
      await idempotency.answer(tx, response).catch((cause: unknown) => {
        throw cause instanceof AppError ? new AnswerFailed(each, cause) : cause;
      });
    }
    return results;
  });
  for (const [each, outcome] of outcomes) each.outcome = outcome;
}
