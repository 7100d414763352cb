import type { DeliveryReason, WebhookEvent } from '@parley/contracts';

/** Results of deliveries, in words. */
const REASONS: Readonly<Record<string, string>> = {
  delivered: 'Delivered',
  http_error: 'The receiver answered with an error',
  timeout: 'No answer within 12 seconds',
  connection_error: 'The receiver could not be reached',
  redirect_refused: 'The receiver redirected, which is not followed',
  address_refused: 'The URL does not lead to a public address',
  no_webhook_url: 'The assistant has no webhook URL',
  not_recorded: 'The call has no such event',
  superseded: 'Replaced by a newer edition of the event',
} satisfies Record<DeliveryReason, string>;

export function deliveryWords(reason: string, status: number): string {
  const words = REASONS[reason] ?? reason.replaceAll('_', ' ');
  return reason === 'http_error' && status > 0 ? `${words}: ${status}` : words;
}

export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  call_started: 'Sent when the call was answered',
  call_ended: 'Sent when the call was over',
  call_analyzed: 'Sent with transcript, summary and analysis',
};

type Result = { ok: boolean; status: number; reason: string };

/** What a retry did, in one sentence: `call_ended was delivered. call_analyzed failed: …`. */
export function resultWords(results: Readonly<Partial<Record<WebhookEvent, Result | undefined>>>): string {
  return Object.entries(results)
    .filter((entry): entry is [string, Result] => entry[1] !== undefined)
    .map(([event, { ok, reason, status }]) =>
      ok ? `${event} was delivered.` : `${event} failed: ${lowerFirst(deliveryWords(reason, status))}.`,
    )
    .join(' ');
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
