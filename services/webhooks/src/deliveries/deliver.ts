import type { DeliveryReason } from '@parley/contracts';
import type { NoteChange } from '@parley/kit/amqp';
import type { Log } from '@parley/kit/log';
import { type Span, traceHeaders, traceIdOf, withParent, withSpan } from '@parley/kit/observability';
import { type OutboundClient, signWebhook } from '@parley/kit/outbound';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { SigningSecrets, WebhookTarget } from '../clients/signing-secrets.ts';
import type { Claim } from './claim-due.ts';
import type { DeliveryStore } from './deliveries.store.ts';
import { judgeExchange } from './outcome.ts';
import type { Attempt } from './record-attempts.ts';
import { nextStep } from './schedule.ts';

export type AttemptDeps = {
  outbound: OutboundClient;
  secrets: SigningSecrets;
  clock: Clock;
  log: Log;
};

/** Called for every attempt: its reason, its duration and how long its event had been due. Real time. */
export type OnAttempt = (attempt: { reason: DeliveryReason; durationMs: number; lateMs: number }) => void;

export type DeliveryDeps = AttemptDeps & {
  deliveries: DeliveryStore;
  onAttempt: OnAttempt;
  noteChange: NoteChange;
};

/** The event to send and its destination. */
export type Delivery = WebhookTarget & {
  /** The webhook-id. */
  id: string;
  url: string;
  body: string;
  /** Earlier attempts of the series. */
  attempts: number;
};

export type MadeAttempt = { attempt: Attempt; retryAfterMs: number | undefined };

/** Real time, from resolving to the last byte [webhooks.9]. */
const DEADLINE_MS = 12_000;
/** Delay before retrying an event that we could not send; such a try isn't counted as an attempt. */
const NOT_SENT_DELAY_MS = 1_000;

/** Attempts a claimed event and records the result. After a crash at any line the attempt is repeated at worst. */
export async function deliver(deps: DeliveryDeps, claim: Claim): Promise<void> {
  const { deliveries, clock } = deps;
  const { url } = claim;
  if (url === null) {
    const nowhere = { attempt: null, next: { status: 'failed' }, reason: 'no_webhook_url' } as const;
    await deliveries.record(claim, nowhere, clock.now());
    return;
  }
  const trace = claim.traceparent ? { traceparent: claim.traceparent } : {};
  const made = await withParent(trace, () => makeAttempt(deps, { ...claim, url }));
  if (made) await recordAttempt(deps, claim, made);
  else await deliveries.giveBack(claim, new Date(clock.now().getTime() + NOT_SENT_DELAY_MS));
}

/** Signs, sends through the address guard and classifies. Undefined: not sent for internal reasons, so it isn't counted. */
export function makeAttempt(deps: AttemptDeps, delivery: Delivery): Promise<MadeAttempt | undefined> {
  const { id, workspaceId, attempts } = delivery;
  const attributes = { 'webhook.id': id, 'workspace.id': workspaceId, 'webhook.attempt': attempts + 1 };
  const work = async (span: Span): Promise<MadeAttempt | undefined> => {
    const made = await send(deps, delivery);
    if (made) {
      span.setAttribute('http.response.status_code', made.attempt.status);
      span.setAttribute('webhook.reason', made.attempt.reason);
    }
    return made;
  };
  return withSpan('webhook attempt', attributes, work, 'client');
}

async function send(deps: AttemptDeps, delivery: Delivery): Promise<MadeAttempt | undefined> {
  const { clock, outbound, log } = deps;
  const { url, body } = delivery;
  const headers = await sign(deps, delivery).catch((err: unknown) => {
    log.warn({ err, eventId: delivery.id }, 'signing secrets are not available');
    return undefined;
  });
  if (!headers) return undefined;

  const startedAt = clock.now();
  const result = await outbound.send({
    url,
    method: 'POST',
    headers,
    body,
    deadlineMs: DEADLINE_MS,
    allowHttp: false,
    followRedirects: true,
    readBody: 'record',
    replayable: true,
  });
  const outcome = judgeExchange(result, clock.realNow());
  if (!outcome) return undefined;
  const { durationMs, requestHeaders } = result;
  const { reason, status, error, retryAfterMs } = outcome;
  const response = result.status === 0 ? null : { headers: result.headers, body: result.body };
  return {
    attempt: { url, startedAt, durationMs, reason, status, error, requestHeaders, response },
    retryAfterMs,
  };
}

/** `webhook-timestamp` is real time whatever the clock rate is [webhooks.8]. */
async function sign({ secrets, clock }: AttemptDeps, delivery: Delivery) {
  const { id, body, attempts } = delivery;
  const signature = signWebhook(await secrets(delivery), id, clock.realNow(), body);
  return {
    'content-type': 'application/json',
    ...traceHeaders(),
    ...signature,
    'x-webhook-attempt': String(attempts + 1),
  };
}

/** Records an attempt, schedules the next one and releases the call's next event. */
export async function recordAttempt(deps: DeliveryDeps, claim: Claim, made: MadeAttempt): Promise<void> {
  const { deliveries, clock, log, onAttempt } = deps;
  const { attempt, retryAfterMs } = made;
  const { reason, status, durationMs } = attempt;
  const lateMs = clock.toRealMs(Math.max(0, attempt.startedAt.getTime() - claim.dueAt.getTime()));
  onAttempt({ reason, durationMs, lateMs });
  const number = claim.attempts + 1;
  const next = nextStep(reason, number, retryAfterMs, clock.now());
  const recorded = await deliveries.record(claim, { attempt, next, reason }, clock.now());
  const traceId = traceIdOf(claim.traceparent);
  const { id: eventId, callId, workspaceId } = claim;
  const fields = { eventId, callId, workspaceId, ...(traceId ? { traceId } : {}), reason, status };
  log.info({ ...fields, attempt: number, ms: durationMs, recorded }, 'attempt finished');
  if (!recorded) return;
  const at = toIsoMillis(clock.now());
  deps.noteChange(workspaceId, { type: 'delivery', id: eventId, what: next.status, at, call_id: callId });
  if (next.status === 'failed')
    deps.noteChange(workspaceId, { type: 'attention', id: workspaceId, what: 'webhook_failed', at });
}
