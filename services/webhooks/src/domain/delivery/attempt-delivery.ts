import type { DeliveryReason } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import { type OutboundClient, type OutboundResult, signWebhook } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { judgeExchange } from './outcome.ts';
import type { AttemptRecord, Claim, DeliveryStore, NextStep, SigningSecrets } from './ports.ts';
import { waitAfterFailure } from './schedule.ts';

export type DeliveryDeps = {
  store: DeliveryStore;
  outbound: OutboundClient;
  secrets: SigningSecrets;
  clock: Clock;
  log: Log;
};

/** Real time, from resolving to the last byte (spec: Delivery rules 1; D8.6). */
const DEADLINE_MS = 12_000;
/** An attempt that could not be made for reasons of ours comes again after this, and doesn't count. */
const OUR_FAULT_PAUSE_MS = 1_000;

/**
 * One attempt: sign, send through the guard, record, release the next event; in that order, so that a crash at any
 * line repeats the attempt at worst.
 */
export async function attemptDelivery(deps: DeliveryDeps, claim: Claim): Promise<void> {
  const { store, clock } = deps;
  if (claim.url === null) {
    await store.record(claim, null, { status: 'failed' }, 'no_webhook_url', clock.now());
    return;
  }
  const headers = await sign(deps, claim).catch((err: unknown) => {
    deps.log.warn({ err, eventId: claim.id }, 'signing secrets are not available');
    return undefined;
  });
  if (!headers) return giveBack(deps, claim);

  const startedAt = clock.now();
  const result = await send(deps, claim.url, headers, claim.body);
  const outcome = judgeExchange(result, clock.realNow());
  if (!outcome) return giveBack(deps, claim);

  const { reason, status, error, retryAfterMs } = outcome;
  const next = nextStep(reason, claim.attempts + 1, retryAfterMs, clock.now());
  const attempt: AttemptRecord = {
    url: claim.url,
    startedAt,
    durationMs: result.durationMs,
    reason,
    status,
    error,
    requestHeaders: result.requestHeaders,
    response: result.status === 0 ? null : { headers: result.headers, body: result.body },
  };
  const recorded = await store.record(claim, attempt, next, reason, clock.now());
  const fields = { eventId: claim.id, callId: claim.callId, workspaceId: claim.workspaceId, reason, status };
  deps.log.info(
    { ...fields, attempt: claim.attempts + 1, ms: result.durationMs, recorded },
    'attempt finished',
  );
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

/** `webhook-timestamp` is real time, whatever the stack's clock says (D8.1). */
async function sign({ secrets, clock }: DeliveryDeps, { id, workspaceId, body, attempts }: Claim) {
  const signature = signWebhook(await secrets(workspaceId), id, clock.realNow(), body);
  return {
    'content-type': 'application/json',
    ...signature,
    'x-webhook-attempt': String(attempts + 1),
  };
}

function send(
  { outbound }: DeliveryDeps,
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<OutboundResult> {
  return outbound.send({
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
}

async function giveBack({ store, clock }: DeliveryDeps, claim: Claim): Promise<void> {
  await store.giveBack(claim, new Date(clock.now().getTime() + OUR_FAULT_PAUSE_MS));
}
