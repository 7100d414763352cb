import type { Clock } from '@parley/kit/time';
import type { News } from './advance-attempt.ts';
import type { Bell } from './bell.ts';
import type { AttemptStore } from './ports.ts';

export type SettleDeps = {
  attempts: AttemptStore;
  clock: Clock;
  dispatchBell: Bell;
  /** Ends the campaign if that was the last. */
  complete: (campaignId: string) => Promise<void>;
};

/** Takes in what became of a dial: the attempt, its contact, the counters, the campaign's end. */
export async function settle(
  deps: SettleDeps,
  { callId, news }: { callId: string; news: News },
): Promise<void> {
  const settled = await deps.attempts.settle(callId, news, deps.clock.now());
  if (settled?.gaveCredit) deps.dispatchBell.ring();
  if (settled?.isFinal) await deps.complete(settled.campaignId);
}
