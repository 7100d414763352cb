import type { DeliveryReason, WebhookEvent } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { toIsoMillis } from '@parley/kit/time';
import { maskHeaders } from './mask-headers.ts';

/** Five series of each event: what a call was resent before that isn't shown any more. */
export const ATTEMPTS_SHOWN = 60;

/** Of the bodies in one answer, which each attempt repeats: the events share it evenly, and show their last attempt anyway. */
export const CHARACTERS_SHOWN = 8 * 1024 * 1024;

export type AttemptView = {
  series: number;
  attempt: number;
  url: string;
  startedAt: Date;
  durationMs: number;
  reason: DeliveryReason;
  status: number;
  error: string | null;
  requestHeaders: Record<string, string>;
  responseHeaders: Record<string, string> | null;
  responseBody: string | null;
};

export type CallWebhookView = {
  id: string;
  event: WebhookEvent;
  status: 'pending' | 'delivered' | 'failed';
  reason: DeliveryReason | null;
  body: string;
  createdAt: Date;
  nextAttemptAt: Date | null;
  /** All that are kept. */
  attemptCount: number;
  /** The last of them, in order. */
  log: AttemptView[];
};

export type CallWebhooks = { find(workspaceId: string, callId: string): Promise<CallWebhookView[]> };

/** Whether the workspace has this call; asked where there is no event yet. */
export type CallExists = (workspaceId: string, callId: string) => Promise<boolean>;

/** `GET /v2/call/{id}/webhooks` (spec: Delivery rules 9; D8.7). */
export async function listCallWebhooks(
  deps: { webhooks: CallWebhooks; callExists: CallExists },
  workspaceId: string,
  callId: string,
) {
  const events = await deps.webhooks.find(workspaceId, callId);
  if (events.length === 0 && !(await deps.callExists(workspaceId, callId))) throw notFound('Call');
  const share = CHARACTERS_SHOWN / events.length;
  return events.map((event) => ({
    id: event.id,
    event: event.event,
    status: event.status,
    reason: event.reason,
    created_at: toIsoMillis(event.createdAt),
    next_attempt_at: event.nextAttemptAt && toIsoMillis(event.nextAttemptAt),
    attempt_count: event.attemptCount,
    attempts: lastWithin(share, event).map((attempt) => toAttempt(attempt, event.body)),
  }));
}

function lastWithin(characters: number, { body, log }: CallWebhookView): AttemptView[] {
  let taken = 0;
  const fits = ({ responseBody }: AttemptView, index: number): boolean => {
    taken += body.length + (responseBody?.length ?? 0);
    return index === 0 || taken <= characters;
  };
  const tooMany = log.toReversed().findIndex((attempt, index) => !fits(attempt, index));
  return tooMany < 0 ? log : log.slice(-tooMany);
}

function toAttempt(attempt: AttemptView, body: string) {
  return {
    series: attempt.series,
    attempt: attempt.attempt,
    url: attempt.url,
    started_at: toIsoMillis(attempt.startedAt),
    duration_ms: attempt.durationMs,
    reason: attempt.reason,
    status: attempt.status,
    error: attempt.error,
    request: { headers: maskHeaders(attempt.requestHeaders), body },
    response: attempt.responseHeaders && {
      headers: maskHeaders(attempt.responseHeaders),
      body: attempt.responseBody ?? '',
    },
  };
}
