import { type DeliveryReason, WEBHOOK_EVENTS, type WebhookEvent } from '@parley/contracts';
import { AppError, isConnectivityError, notFound } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';
import { type DeliveryDeps, recordAttempt } from '../delivery/attempt-delivery.ts';
import { makeAttempt } from '../delivery/make-attempt.ts';
import type { CallExists } from '../events/call-webhooks.ts';
import type { ResendClaim, ResendStore, StartedSeries } from './ports.ts';

export type ResendDeps = DeliveryDeps & { resends: ResendStore; callExists: CallExists };

export type ResendResult = { ok: boolean; status: number; reason: DeliveryReason };

export type ResendResults = { [event in WebhookEvent]?: ResendResult };

/**
 * How long it waits for an attempt that is under way, in real time. With three attempts of 12 s after it, the answer comes
 * within the minute that most clients and proxies have.
 */
const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 100;

const nothingSent = (why: string, cause?: unknown): AppError =>
  new AppError('INTERNAL_ERROR', `Nothing was sent${why}; try again`, { cause });

const unsent = (reason: DeliveryReason): ResendResult => ({ ok: false, status: 0, reason });

/**
 * `POST /v2/call/{id}/webhooks/resend` (D8.4): each event is attempted once, at once, in order, whatever became of it
 * before; what fails is tried again as if it were new. An attempt that is under way is waited for, so that the receiver never
 * has the same event twice at the same moment, and the record of neither is lost. Whatever fails before the first byte left is
 * 500, and then no event has changed.
 */
export async function resendEvents(
  deps: ResendDeps,
  workspaceId: string,
  callId: string,
  asked: readonly WebhookEvent[],
): Promise<ResendResults> {
  const events = WEBHOOK_EVENTS.filter((event) => asked.includes(event));
  const { claims, nowhere } = await startSeries(deps, workspaceId, callId, events).catch((err: unknown) => {
    throw isOutage(err) ? nothingSent('', err) : err;
  });
  const results: ResendResults = {};
  for (const event of events) {
    const claim = claims.find((one) => one.event === event);
    if (claim) results[event] = await attemptOnce(deps, claim);
    else results[event] = unsent(nowhere.includes(event) ? 'no_webhook_url' : 'not_recorded');
  }
  return results;
}

async function startSeries(
  deps: ResendDeps,
  workspaceId: string,
  callId: string,
  events: readonly WebhookEvent[],
): Promise<{ claims: ResendClaim[]; nowhere: WebhookEvent[] }> {
  // Without secrets there is no attempt: asked before anything is touched, and remembered for those that follow.
  await deps.secrets(workspaceId);
  const started = await startWhenFree(deps, workspaceId, callId, events);
  if (started.state === 'started') return started;
  if (started.state === 'busy') throw nothingSent(': an event of this call is just being attempted');
  if (!(await deps.callExists(workspaceId, callId))) throw notFound('Call');
  return { claims: [], nowhere: [] };
}

async function startWhenFree(
  { resends, clock }: ResendDeps,
  workspaceId: string,
  callId: string,
  events: readonly WebhookEvent[],
): Promise<StartedSeries> {
  const giveUpMs = monotonicMs() + PATIENCE_MS;
  for (;;) {
    const started = await resends.start(workspaceId, callId, events, clock.now());
    if (started.state !== 'busy' || monotonicMs() >= giveUpMs) return started;
    await realSleep(LOOK_EVERY_MS);
  }
}

async function attemptOnce(deps: ResendDeps, claim: ResendClaim): Promise<ResendResult> {
  const made = await makeAttempt(deps, claim);
  if (!made) {
    await keepForLater(deps, claim, deps.store.giveBack(claim, deps.clock.now()));
    return unsent('connection_error');
  }
  await keepForLater(deps, claim, recordAttempt(deps, claim, made));
  const { reason, status } = made.attempt;
  return { ok: reason === 'delivered', status, reason };
}

/** The receiver has answered and the client is told so: what can't be written is repeated when its lease runs out. */
async function keepForLater({ log }: ResendDeps, { id }: ResendClaim, written: Promise<void>): Promise<void> {
  await written.catch((err: unknown) => log.error({ err, eventId: id }, 'resend was not recorded'));
}

function isOutage(err: unknown): boolean {
  return isConnectivityError(err) || (err instanceof AppError && err.code === 'SERVICE_UNAVAILABLE');
}
