const MINUTE_MS = 60_000;

/** Attempts of a series (spec: Delivery rules 2). */
export const MAX_ATTEMPTS = 12;

/** Minutes to wait after the first, second, ... failed attempt of a series (spec: Delivery rules 3; D8.2). */
const WAITS_MINUTES = [2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360] as const;

const SHORTEST_RETRY_AFTER_MS = MINUTE_MS;
const LONGEST_RETRY_AFTER_MS = 360 * MINUTE_MS;

/**
 * The wait after a failed attempt, in stack milliseconds, or undefined after the last one. `made` attempts of the
 * series were made; what a receiver asked for replaces this wait alone, the step goes on (D8.3).
 */
export function waitAfterFailure(made: number, retryAfterMs?: number): number | undefined {
  if (made >= MAX_ATTEMPTS) return undefined;
  if (retryAfterMs !== undefined) {
    return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(SHORTEST_RETRY_AFTER_MS, retryAfterMs));
  }
  return (WAITS_MINUTES[made - 1] ?? 360) * MINUTE_MS;
}

/** The three forms of an HTTP date: today's, and the two old ones that receivers may still send (RFC 9110, 5.6.7). */
const IMF_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const RFC_850_DATE = /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/;
const ASCTIME_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

function readDate(value: string): number {
  if (IMF_DATE.test(value) || RFC_850_DATE.test(value)) return Date.parse(value);
  return ASCTIME_DATE.test(value) ? Date.parse(`${value} GMT`) : Number.NaN;
}

/**
 * What `Retry-After` of a 429 or 503 asks for, in milliseconds: seconds, or a date, which is compared with real time.
 * Undefined for other statuses and for what can't be read (spec: Delivery rules 4; D8.3).
 */
export function readRetryAfter(
  status: number,
  header: string | undefined,
  realNow: Date,
): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined;
  const value = header.trim();
  // However many digits: what is too long to wait for is held to the longest wait.
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const at = readDate(value);
  return Number.isNaN(at) ? undefined : at - realNow.getTime();
}
