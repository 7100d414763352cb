import { type Statement, sql } from '@parley/kit/db';

/**
 * SQL of a text for case-insensitive comparison: NFC, lower case, one form of sigma. By ICU and with a binary collation, so
 * that the database's locale doesn't matter.
 */
export const caseless = (text: Statement): Statement =>
  sql`translate(lower(normalize(${text}::text) COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C"`;
