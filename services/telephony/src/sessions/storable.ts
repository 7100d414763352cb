/** Without what a text column cannot store: NUL and unpaired surrogates. */
export function storableText(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '');
}

/** JSON that Postgres can process: escapes of NUL and of unpaired surrogates are replaced. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd');
}
