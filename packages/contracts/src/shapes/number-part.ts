import { z } from 'zod';

/** What people put between the digits of a number: spaces of all kinds, brackets, dashes, dots and slashes. */
const SEPARATORS = /[\s\u00a0\u2000-\u200f\u202a-\u202f\u2060().\-\u2010-\u2015/]+/g;

/**
 * The part of an E.164 number that a person means: `+4930` for `+49 (30)` and `004930`, which is where a number begins, and `30123` for
 * `030 123`, which is anywhere in it. Undefined: not a part of a number.
 */
export function numberPart(text: string): string | undefined {
  const bare = text.replace(SEPARATORS, '');
  const [, start = '', digits = ''] = /^(\+|00|0?)(\d*)$/.exec(bare) ?? [];
  if (start === '+' || start === '00') return `+${digits}`;
  return digits === '' ? undefined : digits;
}

/** Text of a search; what it looks into is said by the endpoint. */
export const searchText = z.string().min(1).max(255).optional();
