import type { DeliveryReason } from '@parley/contracts';
import { traceIdOf, withParent } from '@parley/kit/observability';
import { type AttemptDeps, type MadeAttempt, makeAttempt } from './make-attempt.ts';
import type { Claim, DeliveryStore, NextStep } from './ports.ts';
import { waitAfterFailure } from './schedule.ts';

/** Hears of every attempt: what came of it, how long it took and how long the event had been due. Real time. */
export type OnAttempt = (attempt: { reason: DeliveryReason; durationMs: number; lateMs: number }) => void;

export type DeliveryDeps = AttemptDeps & { store: DeliveryStore; onAttempt: OnAttempt };

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
  const trace = claim.traceparent ? { traceparent: claim.traceparent } : {};
  const made = await withParent(trace, () => makeAttempt(deps, { ...claim, url }));
  if (!made) return store.giveBack(claim, new Date(clock.now().getTime() + OUR_FAULT_PAUSE_MS));
  await recordAttempt(deps, claim, made);
}

/** The attempt, what comes next for its event, and the release of the call's next one. */
export async function recordAttempt(deps: DeliveryDeps, claim: Claim, made: MadeAttempt): Promise<void> {
  const { store, clock, log, onAttempt } = deps;
  const { attempt, retryAfterMs } = made;
  const { reason, status, durationMs } = attempt;
  const lateMs = clock.toRealMs(Math.max(0, attempt.startedAt.getTime() - claim.dueAt.getTime()));
  onAttempt({ reason, durationMs, lateMs });
  const next = nextStep(reason, claim.attempts + 1, retryAfterMs, clock.now());
  const recorded = await store.record(claim, attempt, next, reason, clock.now());
  const traceId = traceIdOf(claim.traceparent);
  const { id: eventId, callId, workspaceId } = claim;
  const fields = { eventId, callId, workspaceId, ...(traceId ? { traceId } : {}), reason, status };
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
