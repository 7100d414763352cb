import { type ErrorDetail, whyNoToolHeader } from '@parley/contracts';
import { maskSecret } from '@parley/kit/secrets';
import type { JsonObject } from '../json-object.ts';

/** Receivers refuse more than about this much. */
const MAX_BYTES = 16 * 1024;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * What is wrong with the headers of a custom tool: they must be fit for HTTP and a tool's to set, and the mask is no value
 * (spec: Masking rules). Names are compared without case (D4.2). No message repeats a value.
 */
export function checkHeaders(headers: JsonObject): ErrorDetail[] {
  const seen = new Set<string>();
  const details = Object.entries(headers).flatMap(([name, value]) => {
    const problem = problemOf(name, value, seen);
    seen.add(name.toLowerCase());
    return problem ? [{ ...problem, path: name === '' ? 'headers' : `headers.${name}` }] : [];
  });
  const bytes = Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + lengthOf(value),
    0,
  );
  if (bytes > MAX_BYTES) {
    details.push({ path: 'headers', code: 'too_big', message: `must have at most ${MAX_BYTES} bytes` });
  }
  return details.map((detail) => ({ ...detail, message: `${detail.path} ${detail.message}` }));
}

type Problem = Omit<ErrorDetail, 'path'>;

function problemOf(name: string, value: unknown, seen: ReadonlySet<string>): Problem | undefined {
  if (name === '') return { code: 'invalid_format', message: 'must not have an empty name' };
  if (!NAME.test(name)) return { code: 'invalid_format', message: 'is not a valid HTTP header name' };
  if (seen.has(name.toLowerCase()))
    return { code: 'not_allowed', message: 'is given twice (case does not count)' };
  const why = whyNoToolHeader(name);
  if (why !== undefined) return { code: 'not_allowed', message: `can't be sent: it ${why}` };
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be a string' };
  if (!VALUE.test(value))
    return { code: 'invalid_format', message: 'holds characters that HTTP does not allow' };
  if (value === maskSecret) {
    return {
      code: 'not_allowed',
      message: `must not be ${maskSecret}: there is no saved value to stand for`,
    };
  }
  return undefined;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
