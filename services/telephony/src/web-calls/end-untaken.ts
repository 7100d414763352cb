import type { Clock } from '@parley/kit/time';
import type { EndCause } from '../carriers/call-control.ts';
import type { Transact } from '../clients/ports.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { WebCalls } from './ports.ts';

export type EndUntakenDeps = {
  transact: Transact;
  webCalls: Pick<WebCalls, 'isAnyUntaken' | 'lockUntaken' | 'end'>;
  clock: Clock;
};

const BATCH = 100;
/** Real time, like the eight seconds after which an offer is refused: its visitor has left long before. */
const TAKEN_WITHIN_MS = 30_000;

/**
 * Ends joined web calls that no worker has taken: spoken calls for which no worker had capacity within 30 seconds [web-calls.10], and, during
 * a rollout, calls of the previous version whose visitor has left (this version ends these at once). True: there may be more.
 */
export async function endUntaken({ transact, webCalls, clock }: EndUntakenDeps): Promise<boolean> {
  const now = clock.now();
  const joinedBefore = new Date(now.getTime() - TAKEN_WITHIN_MS * clock.rate);
  if (!(await webCalls.isAnyUntaken(joinedBefore))) return false;
  return transact(async (tx) => {
    const untaken = await webCalls.lockUntaken(tx, joinedBefore, BATCH);
    const ends = untaken.map(({ call, leftAt, leftCause }) => ({
      call,
      change: leftAt
        ? endUntouched(call, (leftCause ?? 'lost') as EndCause, leftAt)
        : endUntouched(call, 'failed', now),
    }));
    await webCalls.end(tx, ends, now);
    return ends.length === BATCH;
  });
}
