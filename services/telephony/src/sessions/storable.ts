/** What a text column takes: no NUL and no half of a surrogate pair. */
export function storableText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '');
}

/** JSON that Postgres can look into: the same two can't be written as escapes either. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');
}
