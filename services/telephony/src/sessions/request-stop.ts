import type { Clock } from '@parley/kit/time';
import type { Transact } from '../clients/ports.ts';
import type { StopCause } from './call.ts';
import { endUntouched } from './end-untouched.ts';
import type { StoppableCalls } from './stop-ports.ts';

export type RequestStopDeps = { transact: Transact; clock: Clock; stops: StoppableCalls };

type StopResult = 'missing' | 'over' | 'requested';

/** Requests the end of a call from its worker; a call without a worker ends here. */
export async function requestStop(
  { transact, clock, stops }: RequestStopDeps,
  { workspaceId, id, cause = 'stopped' }: { workspaceId: string; id: string; cause?: StopCause },
): Promise<StopResult> {
  return transact(async (tx) => {
    // The dialer's lock order: request, then call.
    await stops.withdraw(tx, workspaceId, id);
    const call = await stops.lock(tx, workspaceId, id);
    if (!call) return 'missing';
    if (call.state.phase === 'ended') return 'over';
    const now = clock.now();
    if (call.state.phase === 'queued') await stops.end(tx, call, endUntouched(call, cause, now), now);
    else await stops.request(tx, call, cause, now);
    return 'requested';
  });
}
