import { notFound } from '@parley/kit/errors';
import { toIsoMillis } from '@parley/kit/time';
import type { Telephony } from '../clients/telephony.ts';
import type { AttemptView, EventView, History } from './history.store.ts';
import { maskHeaders } from './mask-headers.ts';

/** Maximum size of a response, shared evenly by its events. Each attempt repeats its event's body; the last one is always shown. */
const MAX_BYTES_SHOWN = 8 * 1024 * 1024;

/** `GET /v2/call/{id}/webhooks` [webhooks.19]. */
export async function listCallWebhooks(
  { history, telephony }: { history: History; telephony: Pick<Telephony, 'agentOfCall'> },
  workspaceId: string,
  callId: string,
) {
  const events = await history.find(workspaceId, callId);
  if (events.length === 0 && (await telephony.agentOfCall(workspaceId, callId)) === undefined)
    throw notFound('Call');
  return showEvents(events);
}

/** One by one: an event's body is in memory only while its attempts are sent. */
async function* showEvents(events: readonly EventView[]) {
  const share = MAX_BYTES_SHOWN / events.length;
  for (const event of events) {
    yield {
      id: event.id,
      event: event.event,
      status: event.status,
      reason: event.reason,
      created_at: toIsoMillis(event.createdAt),
      next_attempt_at: event.nextAttemptAt && toIsoMillis(event.nextAttemptAt),
      attempt_count: event.attemptCount,
      attempts: showAttempts(event, firstWithin(share, event)),
    };
  }
}

async function* showAttempts(event: EventView, from: number) {
  if (event.attemptBytes.length === 0) return;
  const body = await event.readBody();
  for await (const attempt of event.readAttempts(from)) yield toAttempt(attempt, body);
}

/** The index of the first attempt from which on all fit. */
function firstWithin(share: number, { bodyBytes, attemptBytes }: EventView): number {
  let used = 0;
  const isTooMuch = (bytes: number): boolean => {
    used += bodyBytes + bytes;
    return used > share;
  };
  const last = attemptBytes.findLastIndex(isTooMuch);
  return Math.min(last + 1, Math.max(0, attemptBytes.length - 1));
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
