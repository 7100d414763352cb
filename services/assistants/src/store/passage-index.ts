import { type Sql, transaction } from '@parley/kit/db';
import { MOST_LOOKED_AT, type TermCount } from '../domain/knowledge/plan-search.ts';
import type { PassageIndex, PassageReader } from '../domain/knowledge/ports.ts';
import { type FoundPassage, SHARES } from '../domain/knowledge/rank-passages.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { chooseLookUps } from './choose-look-ups.ts';
import { anywhere, bare, inTitle, LEXEMES } from './passage-terms.ts';

// The planner knows nothing of what it costs to open a passage's terms: it must always go by the index.
const BY_INDEX = `
  SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`;

/** Words of a query that are looked for. Of a query with more the longest: they are the rarer ones as a rule. */
const MOST_TERMS = 16;

/** Passages that are opened to see how close together the words stand. */
const MOST_OPENED = 100;

/** SQL of what a passage's coverage counts for, but for what only its text tells. */
const worth = (inTitle: string, density: string): string =>
  `(${SHARES.coverage} + ${SHARES.inTitle} * ${inTitle} + ${SHARES.density} * ${density})`;

const spelled = (separator: string, end = ''): string =>
  `string_agg(quote_literal(b.number || '${separator}' || t.lexeme)${end}, ' | ')::tsquery`;

// A beginning needs four letters, fewer where a letter of three bytes is half a word or a whole one; numbers have none.
const COUNT_TERMS = `
  WITH lexemes AS (
    SELECT lexeme FROM unnest(${LEXEMES('$2')}) ORDER BY length(lexeme) DESC, positions LIMIT ${MOST_TERMS}
  ), terms AS (
    SELECT t.lexeme, ${spelled('.')} AS query, ${spelled('.', " || ':*'")} AS beginning,
      t.lexeme ~ '^\\D' AND (length(t.lexeme) > 3 OR octet_length(t.lexeme) = 3 * length(t.lexeme)) AS may_begin
    FROM lexemes t CROSS JOIN unnest($1::text[]) AS b (number) GROUP BY t.lexeme
  )
  SELECT t.lexeme, greatest(e.count, p.count)::int AS count, p.count > 0 AS "isBeginning"
  FROM terms t
  CROSS JOIN LATERAL (
    SELECT count(*) FROM (SELECT FROM knowledge_passages WHERE terms @@ t.query LIMIT $3::int) AS x
  ) e
  CROSS JOIN LATERAL (
    SELECT count(*) FROM (
      SELECT FROM knowledge_passages WHERE e.count = 0 AND t.may_begin AND terms @@ t.beginning LIMIT $3::int
    ) AS x
  ) p`;

// What the index says is enough to choose the passages that are opened; then each term is looked for in these.
// $1-$4: what is looked up, by its kind (one word anywhere, several words together, one word in the title), its weight,
// tsquery. $5-$7: each term's tsquery anywhere, in the title, and its weight. $8: the weight of the whole query.
const FIND = `
  WITH seen AS (
    SELECT s.kind, s.weight, p.document_id, p.n
    FROM unnest($1::text[], $2::float8[], $3::text[]) AS s (kind, weight, query)
    CROSS JOIN LATERAL (
      SELECT document_id, n FROM knowledge_passages WHERE terms @@ s.query::tsquery LIMIT $4::int
    ) p
  ), chosen AS (
    SELECT document_id, n FROM seen GROUP BY document_id, n
    ORDER BY greatest(
        sum(weight) FILTER (WHERE kind = 'word'), max(weight) FILTER (WHERE kind = 'words'),
        sum(weight) FILTER (WHERE kind = 'title')
      ) * ${worth("coalesce(sum(weight) FILTER (WHERE kind = 'title'), 0) / $8::float8", '0')} DESC, document_id, n
    LIMIT ${MOST_OPENED}
  ), opened AS (
    -- Concatenated, so that the terms are unpacked once and not for each comparison.
    SELECT p.document_id, p.n, p.text, p.terms || ''::tsvector AS terms
    FROM chosen JOIN knowledge_passages p USING (document_id, n) OFFSET 0
  ), judged AS (
    SELECT o.document_id, o.n, o.text, has.weight / $8::float8 AS coverage,
      coalesce(has.title_weight, 0) / $8::float8 AS in_title,
      ts_rank_cd('{1,1,1,1}', o.terms, has.query::tsquery, 32)::float8 AS density
    FROM opened o CROSS JOIN LATERAL (
      SELECT sum(t.weight) AS weight, sum(t.weight) FILTER (WHERE o.terms @@ t.title::tsquery) AS title_weight,
        string_agg('(' || t.query || ')', ' & ') AS query
      FROM unnest($5::text[], $6::text[], $7::float8[]) AS t (query, title, weight)
      WHERE o.terms @@ t.query::tsquery
    ) has
  )
  SELECT d.knowledge_base_id AS "knowledgeBaseId", d.id AS "documentId", d.title, j.text, j.coverage,
    j.in_title AS "inTitle", j.density
  FROM judged j JOIN knowledge_documents d ON d.id = j.document_id
  ORDER BY j.coverage * ${worth('j.in_title', 'j.density')} DESC, d.id, j.n
  LIMIT $9::int`;

const MATCHING = `SELECT w.word FROM unnest($1::text[]) AS w (word) WHERE ${LEXEMES('w.word')} @@ $2::tsquery`;

export function createPassageIndex(prisma: PrismaClient): PassageIndex {
  return {
    read: (work) =>
      transaction(prisma, async (tx) => {
        await tx.$queryRawUnsafe(BY_INDEX);
        return work(readerOf(tx));
      }),
    matching: async (terms, words) => {
      const rows = await prisma.$queryRawUnsafe<{ word: string }[]>(MATCHING, [...words], bare(terms));
      return new Set(rows.map(({ word }) => word));
    },
  };
}

function readerOf(tx: Sql): PassageReader {
  return {
    countTerms: (numbers, words) =>
      tx.$queryRawUnsafe<TermCount[]>(COUNT_TERMS, [...numbers], words.join(' '), MOST_LOOKED_AT + 1),
    find: (numbers, plan, most) => {
      const lookUps = chooseLookUps(plan, {
        anywhere: plan.terms.map((term) => anywhere(numbers, term)),
        inTitle: plan.terms.map((term) => inTitle(numbers, term)),
      });
      return tx.$queryRawUnsafe<FoundPassage[]>(
        FIND,
        lookUps.map(({ kind }) => kind),
        lookUps.map(({ weight }) => weight),
        lookUps.map(({ query }) => query),
        MOST_LOOKED_AT,
        plan.terms.map((term) => anywhere(numbers, term)),
        plan.terms.map((term) => inTitle(numbers, term)),
        plan.terms.map(({ weight }) => weight),
        plan.totalWeight,
        most,
      );
    },
  };
}
