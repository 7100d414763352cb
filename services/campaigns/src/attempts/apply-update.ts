import type { WakeUp } from '@parley/kit/concurrency';
import type { Clock } from '@parley/kit/time';
import type { AttemptUpdate } from './advance-attempt.ts';
import type { AttemptStore } from './attempts.store.ts';

export type ApplyDeps = {
  attempts: AttemptStore;
  clock: Clock;
  dispatchWakeUp: WakeUp;
  /** Ends the campaign if this was its last contact. */
  complete: (campaignId: string) => Promise<void>;
};

/** Applies an update to its attempt, the contact, the counters and the campaign. */
export async function applyUpdate(deps: ApplyDeps, callId: string, update: AttemptUpdate): Promise<void> {
  const applied = await deps.attempts.apply(callId, update, deps.clock.now());
  if (applied?.freedSlot) deps.dispatchWakeUp.wake();
  if (applied?.isFinal) await deps.complete(applied.campaignId);
}
