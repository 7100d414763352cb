import { createBatcher } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
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

/**
 * Writes placed calls, those of one workspace that arrive during a transaction together in the next one. The exact count of live calls
 * [general.19] allows only one transaction of a workspace at a time: one for each call would take longer than the time between two calls
 * as soon as the database is slow, and each call would wait longer than the one before.
 */
export function createWritePlacedCall(deps: WritePlacedCallsDeps): WritePlacedCall {
  type Writer = { add: (placement: Placement) => Promise<unknown>; users: number };
  const writers = new Map<string, Writer>();
  const writerOf = (workspaceId: string): Writer => {
    const write = (placements: Placement[]) => writeTogether(deps, workspaceId, placements);
    const add = createBatcher(write, { maxItems: MAX_TOGETHER });
    return { add: async (placement) => orThrow(await add(placement)), users: 0 };
  };
  return async <R>(placement: Placement<R>): Promise<R> => {
    const { workspaceId } = placement.call.number;
    const writer = writers.get(workspaceId) ?? writerOf(workspaceId);
    writers.set(workspaceId, writer);
    writer.users += 1;
    try {
      return (await writer.add(placement)) as R;
    } finally {
      writer.users -= 1;
      if (writer.users === 0) writers.delete(workspaceId);
    }
  };
}

type Written = { response: unknown } | { refused: AppError };

function orThrow(written: Written): unknown {
  if ('refused' in written) throw written.refused;
  return written.response;
}

/** As few statements as possible: the workspace's other calls wait for this transaction. */
function writeTogether(
  { transact, callMutex, queuedCalls, spend }: WritePlacedCallsDeps,
  workspaceId: string,
  placements: readonly Placement[],
): Promise<Written[]> {
  const write = (): Promise<Written[]> =>
    transact(async (tx) => {
      const before = await queuedCalls.countExactly(tx, workspaceId);
      const accepted: Placement[] = [];
      const refusals = new Map<Placement, AppError>();
      for (const placement of placements) {
        const { limits, call } = placement;
        const live = before + accepted.length;
        try {
          if (live >= limits.maxLiveCalls) throw tooManyCalls(limits.maxLiveCalls);
          await requireAffordable(tx, { spend }, { workspaceId, limits, live, now: call.createdAt });
          accepted.push(placement);
        } catch (err) {
          if (!(err instanceof AppError)) throw err;
          refusals.set(placement, err);
        }
      }
      await queuedCalls.insert(
        tx,
        accepted.map(({ call }) => call),
      );
      for (const { idempotency, response } of accepted) await idempotency.answer(tx, response);
      return placements.map((placement) => {
        const refused = refusals.get(placement);
        return refused ? { refused } : { response: placement.response };
      });
    });
  return callMutex(workspaceId, write);
}
