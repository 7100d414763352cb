import type { DeliveryReason } from '@parley/contracts';

const MINUTE_MS = 60_000;

/** Attempts of a series [webhooks.10]. */
const MAX_ATTEMPTS = 12;

/** Minutes after the first, second, ... failed attempt of a series [webhooks.10]. */
const DELAYS_MINUTES = [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360] as const;

const MIN_RETRY_AFTER_MS = MINUTE_MS;
const MAX_RETRY_AFTER_MS = 360 * MINUTE_MS;

/** The next step of an event after an attempt. */
export type NextStep =
  | { status: 'pending'; nextAttemptAt: Date }
  | { status: 'delivered' }
  | { status: 'failed' };

/** `made`: attempts of the series so far, this one included. */
export function nextStep(
  reason: DeliveryReason,
  made: number,
  retryAfterMs: number | undefined,
  now: Date,
): NextStep {
  if (reason === 'delivered') return { status: 'delivered' };
  const delayMs = delayAfterFailure(made, retryAfterMs);
  if (delayMs === undefined) return { status: 'failed' };
  return { status: 'pending', nextAttemptAt: new Date(now.getTime() + delayMs) };
}

/**
 * The delay after a failed attempt in stack milliseconds, or undefined after the last one. `Retry-After` replaces this delay only:
 * the next one depends only on the number of attempts [webhooks.11].
 */
export function delayAfterFailure(made: number, retryAfterMs?: number): number | undefined {
  if (made >= MAX_ATTEMPTS) return undefined;
  if (retryAfterMs !== undefined) {
    return Math.min(MAX_RETRY_AFTER_MS, Math.max(MIN_RETRY_AFTER_MS, retryAfterMs));
  }
  return (DELAYS_MINUTES[made - 1] ?? 360) * MINUTE_MS;
}

/** The three forms of an HTTP date: today's, and the two obsolete ones that recipients must accept (RFC 9110, 5.6.7). */
const IMF_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

function readDate(value: string): number {
  if (IMF_DATE.test(value) || RFC_850_DATE.test(value)) return Date.parse(value);
  return ASCTIME_DATE.test(value) ? Date.parse(`${value} GMT`) : Number.NaN;
}

/**
 * `Retry-After` of a 429 or 503 in milliseconds: seconds, or a date, which is compared with real time. Undefined for
 * other statuses and for values that can't be parsed [webhooks.11].
 */
export function readRetryAfter(
  status: number,
  header: string | undefined,
  realNow: Date,
): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  const value = header.trim();
  // However many digits: the delay is clamped later.
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = readDate(value);
  return Number.isNaN(at) ? undefined : at - realNow.getTime();
}
