import { z } from 'zod';

/** Identifiers are UUID strings of any version (spec: Conventions). */
export const uuid = z.guid().meta({ examples: ['0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11'] });

/** `+` and 7-15 digits, the first not 0 (D1.9). */
export const e164 = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, { error: 'must be an E.164 number such as +14155550123' })
  .meta({ examples: ['+14155550123'] });

/** ISO 8601 with milliseconds and `Z`: all records but tools and numbers (spec: Conventions). */
export const isoMillis = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-03-14T09:26:53.589Z'] });

/** ISO 8601 with microseconds and `+00:00`: tool and phone number records (spec: Conventions). */
export const isoMicros = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  .meta({ examples: ['2026-03-14T09:26:53.589793+00:00'] });

/** A date-time that a client sends: with `Z` or an offset (D6.6, D7.3). */
export const isoInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with an offset' })
  .meta({ examples: ['2026-03-14T09:00:00+01:00'] });

/**
 * A JSON object of the client, passed on as it is: keys such as `__proto__` are data (D1.8),
 * and zod's own records would assign them.
 */
export const jsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error: 'must be an object', params: { code: 'invalid_type' } },
  )
  .meta({ type: 'object', additionalProperties: true });

/** Names and texts, with any name there is: `jsonObject` says why it is no record of zod's. */
export const textRecord = z
  .custom<Record<string, string>>(
    (value) =>
      jsonObject.safeParse(value).success &&
      Object.values(value as object).every((text) => typeof text === 'string'),
    { error: 'must be an object of texts', params: { code: 'invalid_type' } },
  )
  .meta({ type: 'object', additionalProperties: { type: 'string' } });

/** `{id}` of a path. */
export const idParams = z.object({ id: uuid.describe('Its id') });

/** 1-based page of a page-numbered list (D1.4). */
export const page = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .default(1)
  .describe('1-based; `next_cursor` of the last page');

/** A whole number within its range, as a query string gives it; out of range or not whole is 422 (D1.4). */
export const queryInt = (minimum: number, maximum: number, fallback: number) => {
  const within = { error: `must be a whole number from ${minimum} to ${maximum}` };
  const text = z.custom<string>((value) => typeof value === 'string' && /^\d+$/.test(value), {
    error: 'must be a whole number',
    params: { code: 'invalid_format' },
  });
  // Any run of digits: what is too long for an exact number is out of range all the same.
  return text
    .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .pipe(z.number().min(minimum, within).max(maximum, within))
    .default(fallback)
    .meta({ type: 'integer', minimum, maximum, default: fallback });
};
