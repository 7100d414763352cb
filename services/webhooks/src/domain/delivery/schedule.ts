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

const IMF_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

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
  if (/^\d{1,12}$/.test(value)) return Number(value) * 1000;
  if (!IMF_DATE.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at - realNow.getTime();
}
