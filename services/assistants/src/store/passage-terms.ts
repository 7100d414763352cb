import type { TermCount } from '../domain/knowledge/plan-search.ts';

/** How words become lexemes, for passages and queries alike. The words are clean: parsers find nothing else in them. */
export const LEXEMES = (words: string): string => `to_tsvector('pg_catalog.english', ${words})`;

/** Before every lexeme stands the number of its base, and what it is of: text or title, or the title alone. */
const ANYWHERE = '.';
const IN_TITLE = '=';

/** A tsvector with a prefix to each of its lexemes; its positions stay. */
const prefixed = (vector: string, prefix: string): string => `
  SELECT coalesce(string_agg(quote_literal(${prefix} || t.lexeme) || ':' || array_to_string(t.positions, ','), ' '), '')::tsvector
  FROM unnest(${vector}) AS t`;

/** Document, number of the base, words of the title, and of each passage its text and its words. */
export const INSERT_PASSAGES = `
  WITH title AS (
    SELECT (${prefixed(LEXEMES('$3'), `$2::text || '${ANYWHERE}'`)}) AS words,
      (${prefixed(LEXEMES('$3'), `$2::text || '${IN_TITLE}'`)}) AS marks
  )
  INSERT INTO knowledge_passages (document_id, n, text, terms)
  SELECT $1::uuid, p.n, p.text, title.words || body.words || strip(title.marks)
  FROM title, unnest($4::text[], $5::text[]) WITH ORDINALITY AS p (text, words, n)
  CROSS JOIN LATERAL (SELECT (${prefixed(LEXEMES('p.words'), `$2::text || '${ANYWHERE}'`)}) AS words) body`;

type Lexeme = Pick<TermCount, 'lexeme' | 'isBeginning'>;

/** A tsquery for a term in any of the bases. */
export function anywhere(numbers: readonly string[], term: Lexeme): string {
  return numbers.map((number) => spelled(`${number}${ANYWHERE}`, term)).join(' | ');
}

export function inTitle(numbers: readonly string[], term: Lexeme): string {
  return numbers.map((number) => spelled(`${number}${IN_TITLE}`, term)).join(' | ');
}

/** A tsquery for any of the terms in words of no base. */
export function bare(terms: readonly Lexeme[]): string {
  return terms.map((term) => spelled('', term)).join(' | ');
}

/** Quoted, so that a lexeme is never syntax. */
function spelled(prefix: string, { lexeme, isBeginning }: Lexeme): string {
  return `'${prefix}${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isBeginning ? ':*' : ''}`;
}
