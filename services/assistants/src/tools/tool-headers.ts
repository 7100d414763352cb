import { type ErrorDetail, whyNoToolHeader } from '@parley/contracts';
import { maskSecret, type SecretBox } from '@parley/kit/secrets';
import type { JsonObject } from '../json-object.ts';
import type { Tool } from './tool.ts';

/** Context of encryption: a ciphertext that is moved elsewhere cannot be decrypted. */
export const headersPlace = (toolId: string): string => `tools:headers:${toolId}`;

type Kept = Pick<Tool, 'sealedHeaders' | 'headerNames'>;

/** Headers for storage: encrypted, with their names in plain text. */
export function sealHeaders(secrets: Pick<SecretBox, 'seal'>, toolId: string, headers: JsonObject): Kept {
  const headerNames = Object.keys(headers);
  if (headerNames.length === 0) return { sealedHeaders: null, headerNames };
  return { sealedHeaders: secrets.seal(JSON.stringify(headers), headersPlace(toolId)), headerNames };
}

export function openHeaders(
  secrets: Pick<SecretBox, 'open'>,
  { id, sealedHeaders }: Pick<Tool, 'id' | 'sealedHeaders'>,
): Record<string, string> {
  return sealedHeaders === null ? {} : JSON.parse(secrets.open(sealedHeaders, headersPlace(id)));
}

/**
 * Replaces masked values by the stored ones [tools.14]; header names are case-insensitive. A mask without a stored value
 * stays for validation. `open` is called only if needed: headers whose encryption key is lost can still be replaced.
 */
export function unmaskHeaders(sent: JsonObject, open: () => Record<string, string>): JsonObject {
  if (!Object.values(sent).includes(maskSecret)) return sent;
  const saved = new Map(Object.entries(open()).map(([name, value]) => [name.toLowerCase(), value]));
  const entries = Object.entries(sent).map(([name, value]) => [
    name,
    value === maskSecret ? (saved.get(name.toLowerCase()) ?? value) : value,
  ]);
  return Object.fromEntries(entries);
}

/** Common limit of HTTP servers. */
const MAX_BYTES = 16 * 1024;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Errors of a custom tool's headers: names and values must be valid HTTP and allowed for tools, the mask is not a value
 * [tools.13] [tools.14]. Messages never contain values.
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
    return { code: 'not_allowed', message: 'is given twice (names are case-insensitive)' };
  const why = whyNoToolHeader(name);
  if (why !== undefined) return { code: 'not_allowed', message: `can't be sent: it ${why}` };
  if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be a string' };
  if (!VALUE.test(value))
    return { code: 'invalid_format', message: 'contains characters that HTTP does not allow' };
  if (value === maskSecret) {
    return {
      code: 'not_allowed',
      message: `must not be ${maskSecret}: there is no stored value`,
    };
  }
  return undefined;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
