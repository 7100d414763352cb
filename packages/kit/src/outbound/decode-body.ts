/**
 * The kept bytes as text. A character that was cut in half by the end is left out; NUL is replaced, since no text or
 * jsonb column of Postgres takes it and the body of a stranger must not keep an attempt from being recorded.
 */
export function decodeBody(bytes: Uint8Array, { isWhole }: { isWhole: boolean }): string {
  return new TextDecoder('utf-8').decode(bytes, { stream: !isWhole }).replaceAll('\u0000', '\uFFFD');
}
