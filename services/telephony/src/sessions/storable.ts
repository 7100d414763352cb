/** Whether a text column can store it: no NUL and no unpaired surrogates. */
export function storableText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '');
}

/** Whether Postgres can process it as JSON: the same two must not occur as escapes either. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');
}
