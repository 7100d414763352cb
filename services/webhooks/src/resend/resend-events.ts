import {
  type BodyOf,
  type DeliveryReason,
  type resendCallWebhooks,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from '@parley/contracts';
import { AppError, isConnectivityError, notFound } from '@parley/kit/errors';
import { monotonicMs, realSleep } from '@parley/kit/time';
import type { Telephony } from '../clients/telephony.ts';
import { type DeliveryDeps, makeAttempt, recordAttempt } from '../deliveries/deliver.ts';
import type { ResendClaim, ResendStore, StartedSeries } from './resend.store.ts';

export type ResendDeps = DeliveryDeps & { resends: ResendStore; telephony: Pick<Telephony, 'agentOfCall'> };

type ResendResult = { ok: boolean; status: number; reason: DeliveryReason };

export type ResendResults = { [event in WebhookEvent]?: ResendResult };

/**
 * How long a resend waits for an attempt in progress, in real time. With three attempts of 12 s after it, the response
 * comes within the minute that most clients and proxies allow.
 */
const BUSY_TIMEOUT_MS = 20_000;
const BUSY_POLL_MS = 100;
const RETRY_AFTER_SECONDS = 2;

const nothingSent = (why: string, cause?: unknown): AppError =>
  new AppError('INTERNAL_ERROR', `Nothing was sent${why}; try again`, { cause });

const unsent = (reason: DeliveryReason): ResendResult => ({ ok: false, status: 0, reason });

/**
 * `POST /v2/call/{id}/webhooks/resend` [webhooks.17]: attempts each event once, at once and in order, whatever its state. An
 * attempt in progress is waited for, so that the receiver never gets an event twice at the same moment and neither record is
 * lost. With `only_failed`, events that are pending or delivered are left alone. Failures before the first byte is sent are errors, and leave every event unchanged.
 */
export async function resendEvents(
  deps: ResendDeps,
  workspaceId: string,
  callId: string,
  request: BodyOf<typeof resendCallWebhooks>,
): Promise<ResendResults> {
  const events = WEBHOOK_EVENTS.filter((event) => request.events.includes(event));
  const started = await startSeries(deps, workspaceId, callId, events, request.only_failed).catch(
    (err: unknown) => {
      throw isOutage(err) ? nothingSent('', err) : err;
    },
  );
  if (started.state === 'busy') throw nothingSent(': an event of this call is being attempted');
  if (started.state === 'unknown') {
    await requireCall(deps, workspaceId, callId);
    return Object.fromEntries(events.map((event) => [event, unsent('not_recorded')]));
  }
  const { claims, withoutUrl, unchanged } = started;
  const results: ResendResults = {};
  for (const event of events) {
    if (unchanged.includes(event)) continue;
    const claim = claims.find((one) => one.event === event);
    if (claim) results[event] = await attemptOnce(deps, claim);
    else results[event] = unsent(withoutUrl.includes(event) ? 'no_webhook_url' : 'not_recorded');
  }
  return results;
}

/** Waits while an event of the call is being attempted. */
async function startSeries(
  { resends, secrets, clock }: ResendDeps,
  workspaceId: string,
  callId: string,
  events: readonly WebhookEvent[],
  onlyFailed: boolean,
): Promise<StartedSeries> {
  // Without secrets there is no attempt: they are loaded before anything changes, and stay cached for the attempts.
  const target = await resends.findTarget(workspaceId, callId);
  await secrets(target ?? { workspaceId, agentId: null, version: 0, usesWorkspaceSecret: true });
  const deadlineMs = monotonicMs() + BUSY_TIMEOUT_MS;
  for (;;) {
    const started = await resends.start(workspaceId, callId, events, clock.now(), onlyFailed);
    if (started.state !== 'busy' || monotonicMs() >= deadlineMs) return started;
    await realSleep(BUSY_POLL_MS);
  }
}

async function requireCall({ telephony }: ResendDeps, workspaceId: string, callId: string): Promise<void> {
  const agentId = await telephony.agentOfCall(workspaceId, callId).catch((cause: unknown) => {
    if (!isOutage(cause)) throw cause;
    const message = 'Calls are not available right now, so nothing was sent; try again shortly';
    throw new AppError('SERVICE_UNAVAILABLE', message, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS });
  });
  if (agentId === undefined) throw notFound('Call');
}

async function attemptOnce(deps: ResendDeps, claim: ResendClaim): Promise<ResendResult> {
  const made = await makeAttempt(deps, claim);
  const written = made ? recordAttempt(deps, claim, made) : deps.deliveries.giveBack(claim, deps.clock.now());
  // The receiver's response is reported anyway: an unrecorded attempt is repeated when its lease expires.
  await written.catch((err: unknown) =>
    deps.log.error({ err, eventId: claim.id }, 'resend was not recorded'),
  );
  if (!made) return unsent('connection_error');
  const { reason, status } = made.attempt;
  return { ok: reason === 'delivered', status, reason };
}

function isOutage(err: unknown): boolean {
  return isConnectivityError(err) || (err instanceof AppError && err.code === 'SERVICE_UNAVAILABLE');
}
