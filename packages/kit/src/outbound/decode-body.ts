/**
 * The bytes of a body as text. An incomplete character at the end is dropped. NUL, which Postgres cannot store, is replaced, so that every
 * attempt can be recorded.
 */
export function decodeBody(bytes: Uint8Array, { isWhole }: { isWhole: boolean }): string {
  return new TextDecoder('utf-8').decode(bytes, { stream: !isWhole }).replaceAll('\u0000', '\uFFFD');
}
