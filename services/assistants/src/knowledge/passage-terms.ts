import { raw, type Statement, sql } from '@parley/kit/db';
import type { TermCount } from './plan-search.ts';

/** A part of a document's text, with its words for the index. */
export type NewPassage = { text: string; words: string };

/** Lexemes of words, for passages and queries alike. The words are clean: the parser finds no other tokens in them. */
export const lexemes = (words: Statement): Statement => sql`to_tsvector('pg_catalog.english', ${words})`;

/** Each lexeme is prefixed with the number of its base and its origin: text or title, or title only. */
const ANYWHERE = '.';
const IN_TITLE = '=';

/** The lexemes of words as a tsvector with a prefix; their positions are kept. */
const prefixed = (words: Statement, number: string, origin: string): Statement => sql`
  SELECT coalesce(string_agg(
    quote_literal(${number + origin}::text || t.lexeme) || ':' || array_to_string(t.positions, ','), ' '), '')::tsvector
  FROM unnest(${lexemes(words)}) AS t`;

export function insertPassages(
  documentId: string,
  { number, titleWords, passages }: { number: string; titleWords: string; passages: readonly NewPassage[] },
): Statement {
  const title = sql`${titleWords}::text`;
  const texts = passages.map(({ text }) => text);
  const words = passages.map((passage) => passage.words);
  return sql`
    WITH title AS (
      SELECT (${prefixed(title, number, ANYWHERE)}) AS words, (${prefixed(title, number, IN_TITLE)}) AS marks
    )
    INSERT INTO knowledge_passages (document_id, n, text, terms)
    SELECT ${documentId}::uuid, p.n, p.text, title.words || body.words || strip(title.marks)
    FROM title, unnest(${texts}::text[], ${words}::text[]) WITH ORDINALITY AS p (text, words, n)
    CROSS JOIN LATERAL (SELECT (${prefixed(raw('p.words'), number, ANYWHERE)}) AS words) body`;
}

type Lexeme = Pick<TermCount, 'lexeme' | 'isBeginning'>;

/** A tsquery for a term in any of the bases. */
export function anywhere(numbers: readonly string[], term: Lexeme): string {
  return numbers.map((number) => spelled(`${number}${ANYWHERE}`, term)).join(' | ');
}

export function inTitle(numbers: readonly string[], term: Lexeme): string {
  return numbers.map((number) => spelled(`${number}${IN_TITLE}`, term)).join(' | ');
}

/** A tsquery for any of the terms, without a base. */
export function bare(terms: readonly Lexeme[]): string {
  return terms.map((term) => spelled('', term)).join(' | ');
}

/** Quoted, so that a lexeme is never syntax. */
function spelled(prefix: string, { lexeme, isBeginning }: Lexeme): string {
  return `'${prefix}${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'${isBeginning ? ':*' : ''}`;
}
