import type { Log } from '@parley/kit/log';
import { type OutboundClient, type OutboundResult, signWebhook } from '@parley/kit/outbound';
import { type Clock, monotonicMs, realSleep } from '@parley/kit/time';
import type { WorkspaceSettings } from '../clients/ports.ts';
import type { Call } from '../sessions/call.ts';
import { isSuccess, readWebhookAnswer, type WebhookVerdict } from './read-webhook-answer.ts';
import { webhookBody } from './webhook-request.ts';

export type InboundWebhookDeps = {
  outbound: OutboundClient;
  settings: WorkspaceSettings;
  clock: Clock;
  log: Log;
};

export type InboundWebhook = { call: Call; url: string; agentId: string | null };

/** Both attempts together, in real time [calls.16]. */
const DEADLINE_MS = 8_000;
/** After this the second attempt starts in parallel. */
const SLOW_MS = 4_000;
const MAX_RESPONSE_BYTES = 65_536;

/**
 * Sends the inbound webhook, signed like other webhooks; both attempts have the call's id as `webhook-id`. Never rejects: a
 * failed webhook changes nothing.
 */
export async function sendInboundWebhook(
  deps: InboundWebhookDeps,
  question: InboundWebhook,
  signal: AbortSignal,
): Promise<WebhookVerdict> {
  const { call } = question;
  const limits = await deps.settings.get(call.workspaceId).catch(() => null);
  if (!limits) return { outcome: 'failed', status: null, error: 'the request could not be signed' };
  const beganMs = monotonicMs();
  const finished = new AbortController();
  const signals = AbortSignal.any([signal, finished.signal]);
  const body = webhookBody(call, question.agentId, deps.clock.now());
  const attempt = (number: number): Promise<OutboundResult> =>
    deps.outbound.send({
      url: question.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...signWebhook([...limits.webhookSecrets], call.id, deps.clock.realNow(), body),
        'x-webhook-attempt': String(number),
        'user-agent': 'Parley-Webhooks/1',
      },
      body,
      deadlineMs: Math.max(1, DEADLINE_MS - (monotonicMs() - beganMs)),
      maxResponseBytes: MAX_RESPONSE_BYTES,
      allowHttp: false,
      followRedirects: true,
      readBody: 'full',
      signal: signals,
    });
  const result = await attemptTwice(attempt, signals).finally(() => finished.abort());
  const { outcome, status } = result;
  const durationMs = Math.round(monotonicMs() - beganMs);
  deps.log.info({ callId: call.id, outcome, status, durationMs }, 'inbound webhook called');
  return readWebhookAnswer(result);
}

/** A second attempt follows a first one that fails or is slow; the first success counts. */
async function attemptTwice(
  attempt: (number: number) => Promise<OutboundResult>,
  signal: AbortSignal,
): Promise<OutboundResult> {
  const first = attempt(1);
  const slow = realSleep(SLOW_MS, signal).then(
    () => undefined,
    () => undefined,
  );
  const early = await Promise.race([first, slow]);
  // A rejected address is rejected again.
  if (early && (isSuccess(early) || early.outcome === 'address_refused' || signal.aborted)) return early;
  const second = attempt(2);
  return early ? second : firstSuccess([first, second]);
}

async function firstSuccess(attempts: readonly Promise<OutboundResult>[]): Promise<OutboundResult> {
  const successes = attempts.map(async (attempt) => {
    const result = await attempt;
    if (!isSuccess(result)) throw new Error('the attempt failed');
    return result;
  });
  const last = Promise.all(attempts).then((results) => results.at(-1) as OutboundResult);
  return Promise.any(successes).catch(() => last);
}
