import { type Sql, transaction } from '@parley/kit/db';
import { MOST_COUNTED, type SearchPlan, type TermCount } from '../domain/knowledge/plan-search.ts';
import type { PassageIndex, PassageReader } from '../domain/knowledge/ports.ts';
import { type FoundPassage, SHARES } from '../domain/knowledge/rank-passages.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { anywhere, bare, inTitle, LEXEMES } from './passage-terms.ts';

// The planner knows nothing of what it costs to open a passage's terms: it must always go by the index.
const BY_INDEX = `
  SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
    set_config('max_parallel_workers_per_gather', '0', true)`;

/** Passages that are opened to see how close together the words stand. */
const MOST_OPENED = 200;

const spelled = (separator: string, end = ''): string =>
  `string_agg(quote_literal(b.number || '${separator}' || t.lexeme)${end}, ' | ')::tsquery`;

// A beginning needs four letters, fewer where a letter of three bytes is half a word or a whole one; numbers have none.
const COUNT_TERMS = `
  WITH terms AS (
    SELECT t.lexeme, t.positions[1] AS at, ${spelled('.')} AS query, ${spelled('.', " || ':*'")} AS beginning,
      t.lexeme ~ '^\\D' AND (length(t.lexeme) > 3 OR octet_length(t.lexeme) = 3 * length(t.lexeme)) AS may_begin
    FROM unnest(${LEXEMES('$2')}) AS t CROSS JOIN unnest($1::text[]) AS b (number)
    GROUP BY t.lexeme, t.positions
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
  ) p
  ORDER BY t.at`;

// $1-$4: what is looked up, as term (0: all of them), in the title alone or anywhere, weight, tsquery. $5: the tsquery
// of each term. $6: the weight of the whole query.
const FIND = `
  WITH seen AS (
    SELECT s.term, s.in_title, s.weight, p.document_id, p.n
    FROM unnest($1::int[], $2::bool[], $3::float8[], $4::text[]) AS s (term, in_title, weight, query)
    CROSS JOIN LATERAL (
      SELECT document_id, n FROM knowledge_passages WHERE terms @@ s.query::tsquery LIMIT $7::int
    ) p
  ), weighed AS (
    SELECT document_id, n,
      greatest(
        coalesce(sum(weight) FILTER (WHERE term > 0 AND NOT in_title), sum(weight) FILTER (WHERE in_title)),
        max(weight) FILTER (WHERE term = 0)
      ) / $6::float8 AS coverage,
      coalesce(sum(weight) FILTER (WHERE in_title), 0) / $6::float8 AS in_title,
      array_agg(term) AS matched
    FROM seen GROUP BY document_id, n
  ), chosen AS (
    SELECT * FROM weighed
    ORDER BY coverage * (${SHARES.coverage} + ${SHARES.inTitle} * in_title) DESC, document_id, n LIMIT ${MOST_OPENED}
  ), opened AS (
    SELECT c.*, p.text, ts_rank_cd('{1,1,1,1}', p.terms, (
      SELECT string_agg('(' || q.query || ')', ' & ')::tsquery FROM unnest($5::text[]) WITH ORDINALITY AS q (query, term)
      WHERE q.term = ANY (c.matched) OR 0 = ANY (c.matched)
    ), 32) AS density
    FROM chosen c JOIN knowledge_passages p USING (document_id, n)
  )
  SELECT d.knowledge_base_id AS "knowledgeBaseId", d.id AS "documentId", d.title, o.text,
    o.coverage, o.in_title AS "inTitle", o.density::float8 AS density
  FROM opened o JOIN knowledge_documents d ON d.id = o.document_id
  ORDER BY o.coverage * (${SHARES.coverage} + ${SHARES.inTitle} * o.in_title + ${SHARES.density} * o.density) DESC, d.id, o.n
  LIMIT $8::int`;

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
      tx.$queryRawUnsafe<TermCount[]>(COUNT_TERMS, [...numbers], words.join(' '), MOST_COUNTED + 1),
    find: (numbers, plan, most) => {
      const { queries, scans } = lookUps(numbers, plan);
      return tx.$queryRawUnsafe<FoundPassage[]>(
        FIND,
        scans.map(({ term }) => term),
        scans.map((scan) => scan.inTitle),
        scans.map(({ weight }) => weight),
        scans.map(({ query }) => query),
        queries,
        plan.totalWeight,
        MOST_COUNTED,
        most,
      );
    },
  };
}

type Scan = { term: number; inTitle: boolean; weight: number; query: string };

/** What the index is asked: each term, those that aren't essential only together with one that is. */
function lookUps(numbers: readonly string[], plan: SearchPlan): { queries: string[]; scans: Scan[] } {
  const queries = plan.terms.map((term) => anywhere(numbers, term));
  const essential = queries.slice(0, plan.essential).join(' | ');
  const within = (query: string, i: number): string =>
    i < plan.essential ? query : `(${essential}) & (${query})`;
  const scans = plan.terms.flatMap((term, i) => [
    { term: i + 1, inTitle: false, weight: term.weight, query: within(queries[i] ?? '', i) },
    { term: i + 1, inTitle: true, weight: term.weight, query: within(inTitle(numbers, term), i) },
  ]);
  const weight = plan.terms.reduce((sum, term) => sum + term.weight, 0);
  const all = { term: 0, inTitle: false, weight, query: queries.map((query) => `(${query})`).join(' & ') };
  return { queries, scans: plan.isBroad && queries.length > 1 ? [...scans, all] : scans };
}
