import type { DeliveryReason } from '@parley/contracts';
import { type AttemptDeps, type MadeAttempt, makeAttempt } from './make-attempt.ts';
import type { Claim, DeliveryStore, NextStep } from './ports.ts';
import { waitAfterFailure } from './schedule.ts';

export type DeliveryDeps = AttemptDeps & { store: DeliveryStore };

/** An attempt that could not be made for reasons of ours comes again after this, and doesn't count. */
const OUR_FAULT_PAUSE_MS = 1_000;

/**
 * One attempt: sign, send through the guard, record, release the next event; in that order, so that a crash at any
 * line repeats the attempt at worst.
 */
export async function attemptDelivery(deps: DeliveryDeps, claim: Claim): Promise<void> {
  const { store, clock } = deps;
  const { url } = claim;
  if (url === null) {
    await store.record(claim, null, { status: 'failed' }, 'no_webhook_url', clock.now());
    return;
  }
  const made = await makeAttempt(deps, { ...claim, url });
  if (!made) return store.giveBack(claim, new Date(clock.now().getTime() + OUR_FAULT_PAUSE_MS));
  await recordAttempt(deps, claim, made);
}

/** The attempt, what comes next for its event, and the release of the call's next one. */
export async function recordAttempt(deps: DeliveryDeps, claim: Claim, made: MadeAttempt): Promise<void> {
  const { store, clock, log } = deps;
  const { attempt, retryAfterMs } = made;
  const { reason, status, durationMs } = attempt;
  const next = nextStep(reason, claim.attempts + 1, retryAfterMs, clock.now());
  const recorded = await store.record(claim, attempt, next, reason, clock.now());
  const fields = { eventId: claim.id, callId: claim.callId, workspaceId: claim.workspaceId, reason, status };
  log.info({ ...fields, attempt: claim.attempts + 1, ms: durationMs, recorded }, 'attempt finished');
}

function nextStep(
  reason: DeliveryReason,
  made: number,
  retryAfterMs: number | undefined,
  now: Date,
): NextStep {
  if (reason === 'delivered') return { status: 'delivered' };
  const waitMs = waitAfterFailure(made, retryAfterMs);
  if (waitMs === undefined) return { status: 'failed' };
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + waitMs) };
}
