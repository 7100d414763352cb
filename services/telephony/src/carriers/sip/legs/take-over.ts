import { mediaClock } from '../../../speech/media-clock.ts';
import { awaitGone, type LocalCalls } from '../local-calls.ts';
import { continueCall } from './continue-call.ts';
import { hangUpTarget } from './hang-up-stored.ts';
import { type LegState, readLegState } from './leg-state.ts';

type TakeOver = {
  /** Continues a call from the state that another worker stored. False: there is none. Rejects if the trunk cannot be reached now. */
  attach(callId: string, stored: unknown): Promise<boolean>;
  /** Another process has the call. */
  detach(callId: string): void;
};

/** A leg whose trunk can't be reached for this long counts as lost. Real time. */
const TIMEOUT_MS = 30_000;

export function createTakeOver(calls: LocalCalls): TakeOver {
  /** Calls that are being continued; aborted if another process takes the call meanwhile. */
  const continuing = new Map<string, AbortController>();
  const failedSinceMs = new Map<string, number>();

  const lose = async (callId: string, { bridged, left }: LegState): Promise<void> => {
    const targets = [...left, ...(bridged ? [bridged] : [])];
    await awaitGone(Promise.all(targets.map((target) => hangUpTarget(calls, callId, target))));
    const provider = { code: null, text: 'The trunk could not be reached' };
    calls.endedAtOnce(callId, { cause: 'lost', provider });
  };

  return {
    async attach(callId, stored) {
      const state = readLegState(stored);
      if (!state) return false;
      const moved = new AbortController();
      continuing.set(callId, moved);
      try {
        await continueCall(calls, callId, state, moved.signal);
        failedSinceMs.delete(callId);
      } catch (err) {
        const sinceMs = failedSinceMs.get(callId) ?? mediaClock.nowMs();
        failedSinceMs.set(callId, sinceMs);
        if (mediaClock.nowMs() - sinceMs < TIMEOUT_MS) throw err;
        failedSinceMs.delete(callId);
        await lose(callId, state);
      } finally {
        if (continuing.get(callId) === moved) continuing.delete(callId);
      }
      return true;
    },
    detach(callId) {
      failedSinceMs.delete(callId);
      continuing.get(callId)?.abort();
    },
  };
}
