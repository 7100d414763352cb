import { stringify } from 'csv-stringify/sync';

/** Rows as CSV (RFC 4180), each ending in CRLF. A lone CR or LF is quoted too: many readers treat it as the end of a row. */
export function toCsv(columns: readonly string[], rows: readonly object[], header = false): string {
  return stringify([...rows], {
    columns: [...columns],
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    header,
  });
}

const FORMULA = /^[=+\-@\t\r]/;

/**
 * Prefixes text that begins like a formula, which spreadsheets would evaluate, with an apostrophe. For untrusted text; not for
 * numbers, which may begin with a sign.
 */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
