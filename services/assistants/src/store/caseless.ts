/**
 * SQL of a text without its case, however its accents were typed (NFC), and with one small sigma. By ICU, so that the
 * database's own locale doesn't matter; collated by bytes, since it is compared letter by letter.
 */
export const caseless = (text: string): string =>
  `translate(lower(normalize(${text}::text) COLLATE "und-x-icu"), 'ς', 'σ') COLLATE "C"`;
