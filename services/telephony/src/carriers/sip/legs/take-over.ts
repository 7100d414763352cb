import { mediaClock } from '../../../speech/media-clock.ts';
import { awaitGone, type CallsHere } from '../calls-here.ts';
import { continueCall } from './continue-call.ts';
import { hangUpTarget } from './hang-up-stored.ts';
import { type LegState, readLegState } from './leg-state.ts';

type TakeOver = {
  /** Continues a call by what another worker has stored of it. False: nothing. Rejects if its trunk cannot be reached at present. */
  attach(callId: string, stored: unknown): Promise<boolean>;
  /** The call is no longer this process's. */
  detach(callId: string): void;
};

/** A trunk that can't be reached for this long has lost the leg. Real time. */
const TIMEOUT_MS = 30_000;

export function createTakeOver(here: CallsHere): TakeOver {
  /** Calls that are being continued; aborted if the session leaves meanwhile. */
  const continuing = new Map<string, AbortController>();
  const failedSinceMs = new Map<string, number>();

  const lose = async (callId: string, { bridged, left }: LegState): Promise<void> => {
    const targets = [...left, ...(bridged ? [bridged] : [])];
    await awaitGone(Promise.all(targets.map((target) => hangUpTarget(here, callId, target))));
    const provider = { code: null, text: 'The trunk could not be reached' };
    here.endedAtOnce(callId, { cause: 'lost', provider });
  };

  return {
    async attach(callId, stored) {
      const state = readLegState(stored);
      if (!state) return false;
      const moved = new AbortController();
      continuing.set(callId, moved);
      try {
        await continueCall(here, callId, state, moved.signal);
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
