import { z } from 'zod';

/** Ids are UUIDs of any version [general.2]. */
export const uuid = z.guid().meta({ examples: ['0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e11'] });

/** `+` and 7-15 digits, the first not 0 [general.4]. */
export const e164 = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, { error: 'must be an E.164 number such as +14155550123' })
  .meta({ examples: ['+14155550123'] });

/** ISO 8601 with milliseconds and `Z`: all records except tools and numbers [general.3]. */
export const isoMillis = z.iso.datetime({ precision: 3 }).meta({ examples: ['2026-03-14T09:26:53.589Z'] });

/** ISO 8601 with microseconds and `+00:00`: tools and phone numbers [general.3]. */
export const isoMicros = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/)
  .meta({ examples: ['2026-03-14T09:26:53.589793+00:00'] });

/** A date-time that a client sends: with `Z` or an offset [calls.8]. */
export const isoInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 date-time with an offset' })
  .meta({ examples: ['2026-03-14T09:00:00+01:00'] });

export const OPEN_ENUM_KEY = 'x-open-enum';

/** Metadata of an enum that may get more values: in the OpenAPI document it allows any string. */
export const OPEN_ENUM = { [OPEN_ENUM_KEY]: true };

function isTimeZone(name: string): boolean {
  // Newer engines also accept offsets (`+01:00`), which are not IANA zones.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** An IANA time zone that a client sends. */
export const timeZone = z
  .string()
  .max(64, { abort: true })
  .refine(isTimeZone, { error: 'must be an IANA time zone' })
  .meta({ description: 'IANA time zone', examples: ['Europe/Berlin'] });

const isDate = (text: string): boolean => z.iso.date().safeParse(text).success;

/** A day or an instant that a client sends: `2026-03-14`, or a date-time with `Z` or an offset, from 2000 to 2099. */
export const dayOrInstant = z
  .string()
  .max(64, { abort: true })
  .refine((text) => text.startsWith('20') && (isDate(text) || isoInput.safeParse(text).success), {
    error: 'must be a date (YYYY-MM-DD) or an ISO 8601 date-time with an offset, from 2000 to 2099',
    params: { code: 'invalid_format' },
  })
  .meta({ examples: ['2026-03-14'] });

/**
 * A JSON object of the client, passed on unchanged. Keys such as `__proto__` are data [general.22], which zod's own records
 * would assign.
 */
export const jsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error: 'must be an object', params: { code: 'invalid_type' } },
  )
  .meta({ type: 'object', additionalProperties: true });

/** A UTF-16 unit takes at most three bytes of UTF-8, so most texts need no encoding. */
const isWithin = (maxBytes: number, text: string): boolean =>
  text.length <= maxBytes / 3 || new TextEncoder().encode(text).length <= maxBytes;

/** A `jsonObject` of at most `maxBytes` as JSON in UTF-8 [trust.2]. */
export const smallJsonObject = (maxBytes: number) =>
  jsonObject.refine((value) => isWithin(maxBytes, JSON.stringify(value)), {
    error: `must have at most ${maxBytes} bytes as JSON`,
    params: { code: 'too_big' },
  });

const CALL_OBJECT_BYTES = 16 * 1024;

/** `dynamic_variables` and `metadata` of a call [trust.2]. */
export const callObject = smallJsonObject(CALL_OBJECT_BYTES).meta({
  id: 'CallData',
  type: 'object',
  additionalProperties: true,
  description: 'A JSON object of at most 16 KiB',
});

/** An object with string values and any keys; not a zod record, for the reason given at `jsonObject`. */
export const textRecord = z
  .custom<Record<string, string>>(
    (value) =>
      jsonObject.safeParse(value).success &&
      Object.values(value as object).every((text) => typeof text === 'string'),
    { error: 'must be an object with string values', params: { code: 'invalid_type' } },
  )
  .meta({ type: 'object', additionalProperties: { type: 'string' } });

/**
 * An array of `min` to `max` items whose length is checked first: zod would validate tens of thousands of items, and report
 * an error for each, before checking the length.
 */
export function shortList<T extends z.ZodType>(item: T, max: number, min = 0): z.ZodArray<T> {
  const list = z.array(item).min(min).max(max);
  const counted = z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= max) return value;
    context.addIssue({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value });
    return z.NEVER;
  }, list);
  // Preprocessing only loses the type of the input.
  return counted as unknown as z.ZodArray<T>;
}

/** `{id}` of a path. */
export const idParams = z.object({ id: uuid.describe('Id of the resource') });

/** 1-based page of a page-numbered list [general.13]. */
export const page = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .default(1)
  .describe("Page number, starting at 1: the previous page's `next_cursor`");

/** A whole number in a query string; 422 if it is out of range [general.15]. */
export const queryInt = (minimum: number, maximum: number, fallback: number) => {
  const within = { error: `must be a whole number from ${minimum} to ${maximum}` };
  const text = z.custom<string>((value) => typeof value === 'string' && /^\d+$/.test(value), {
    error: 'must be a whole number',
    params: { code: 'invalid_format' },
  });
  // Digits beyond the exact numbers are out of range anyway.
  return text
    .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .pipe(z.number().min(minimum, within).max(maximum, within))
    .default(fallback)
    .meta({ type: 'integer', minimum, maximum, default: fallback });
};

/** `limit` and `offset` of a list [general.14]: up to `max` items per page. */
export const offsetPage = (max = 100) => ({
  limit: queryInt(1, max, 50).describe('Items per page'),
  offset: queryInt(0, 2_147_483_647, 0).describe("Items to skip: the previous page's `next_cursor`"),
});

/** Values in a query string, separated by commas; 422 beyond `max`. An empty text is no value. */
export const queryList = <T extends z.ZodType<string, string>>(item: T, max: number) =>
  z
    .string()
    .transform((text) => (text === '' ? [] : text.split(',')))
    .pipe(shortList(item, max))
    .meta({ type: 'string', examples: undefined });

/** A number in a query string that is not below 0. */
export const queryNumber = z
  .custom<string>((value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value), {
    error: 'must be a number that is not below 0',
    params: { code: 'invalid_format' },
  })
  .transform(Number)
  .meta({ type: 'number', minimum: 0 });
