import type { Log } from '@parley/kit/log';
import { type Span, traceHeaders, withSpan } from '@parley/kit/observability';
import { type OutboundClient, signWebhook } from '@parley/kit/outbound';
import type { Clock } from '@parley/kit/time';
import { judgeExchange } from './outcome.ts';
import type { AttemptRecord, SigningSecrets } from './ports.ts';

export type AttemptDeps = {
  outbound: OutboundClient;
  secrets: SigningSecrets;
  clock: Clock;
  log: Log;
};

/** What is sent, and where to. */
export type Parcel = {
  /** The webhook-id. */
  id: string;
  workspaceId: string;
  url: string;
  body: string;
  /** Attempts of the series that were made before. */
  attempts: number;
};

export type MadeAttempt = { attempt: AttemptRecord; retryAfterMs: number | undefined };

/** Real time, from resolving to the last byte (spec: Delivery rules 1; D8.6). */
const DEADLINE_MS = 12_000;

/** Signs, sends through the guard and judges. Undefined: it could not be made for reasons of ours, so it never counts. */
export function makeAttempt(deps: AttemptDeps, parcel: Parcel): Promise<MadeAttempt | undefined> {
  const { id, workspaceId, attempts } = parcel;
  const attributes = { 'webhook.id': id, 'workspace.id': workspaceId, 'webhook.attempt': attempts + 1 };
  const work = async (span: Span): Promise<MadeAttempt | undefined> => {
    const made = await attemptOnce(deps, parcel);
    if (made) {
      span.setAttribute('http.response.status_code', made.attempt.status);
      span.setAttribute('webhook.reason', made.attempt.reason);
    }
    return made;
  };
  return withSpan('webhook attempt', attributes, work, 'client');
}

async function attemptOnce(deps: AttemptDeps, parcel: Parcel): Promise<MadeAttempt | undefined> {
  const { clock, outbound, log } = deps;
  const headers = await sign(deps, parcel).catch((err: unknown) => {
    log.warn({ err, eventId: parcel.id }, 'signing secrets are not available');
    return undefined;
  });
  if (!headers) return undefined;

  const startedAt = clock.now();
  const result = await outbound.send({
    url: parcel.url,
    method: 'POST',
    headers,
    body: parcel.body,
    deadlineMs: DEADLINE_MS,
    allowHttp: false,
    followRedirects: true,
    readBody: 'record',
    replayable: true,
  });
  const outcome = judgeExchange(result, clock.realNow());
  if (!outcome) return undefined;

  const { reason, status, error, retryAfterMs } = outcome;
  const attempt: AttemptRecord = {
    url: parcel.url,
    startedAt,
    durationMs: result.durationMs,
    reason,
    status,
    error,
    requestHeaders: result.requestHeaders,
    response: result.status === 0 ? null : { headers: result.headers, body: result.body },
  };
  return { attempt, retryAfterMs };
}

/** `webhook-timestamp` is real time, whatever the stack's clock says (D8.1). */
async function sign({ secrets, clock }: AttemptDeps, { id, workspaceId, body, attempts }: Parcel) {
  const signature = signWebhook(await secrets(workspaceId), id, clock.realNow(), body);
  return {
    'content-type': 'application/json',
    ...traceHeaders(),
    ...signature,
    'x-webhook-attempt': String(attempts + 1),
  };
}
