import { maskSecret, type SecretBox } from '@parley/kit/secrets';
import type { JsonObject } from '../json-object.ts';
import type { Tool } from './tool.ts';

/** Where a tool's headers stand: sealed text that was moved elsewhere doesn't open. */
export const headersPlace = (toolId: string): string => `tools:headers:${toolId}`;

type Kept = Pick<Tool, 'sealedHeaders' | 'headerNames'>;

/** Headers as they are kept: the values sealed, their names beside them. */
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
 * The headers that were sent, where the mask stands for the value that is saved under the same name in any case (spec:
 * Masking rules; D4.2). A mask with nothing to stand for stays, for the check to refuse. `open` is asked only for that:
 * a secret whose key is lost can still be replaced.
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
