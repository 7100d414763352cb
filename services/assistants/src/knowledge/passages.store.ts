import { queryRows, raw, type Statement, sql, transaction } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Tx } from '../transact.ts';
import { chooseLookUps } from './choose-look-ups.ts';
import { anywhere, bare, inTitle, lexemes } from './passage-terms.ts';
import { MAX_PASSAGES, type SearchPlan, type TermCount } from './plan-search.ts';
import { SHARES } from './rank-passages.ts';

/** Terms of a query that are searched for: the longest, which are usually the rarest. */
const MAX_TERMS = 16;

/** Passages that are opened to see how close together the words are. */
const MAX_OPENED = 100;

const termRow = z.object({ lexeme: z.string(), count: z.number(), isBeginning: z.boolean() });
const wordRow = z.object({ word: z.string() });
const passageRow = z.object({
  knowledgeBaseId: z.string(),
  documentId: z.string(),
  title: z.string(),
  text: z.string(),
  coverage: z.number(),
  inTitle: z.number(),
  density: z.number(),
});

export type PassageIndex = ReturnType<typeof createPassageIndex>;

/** Full-text search in SQL: Prisma has no tsquery. */
export function createPassageIndex(prisma: PrismaClient) {
  return {
    read: <R>(work: (reader: ReturnType<typeof readerOf>) => Promise<R>): Promise<R> =>
      transaction(prisma, async (tx) => {
        // The planner underestimates the cost of unpacking a passage's terms: always use the index.
        await tx.$queryRaw`
          SELECT set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true)`;
        return work(readerOf(tx));
      }),
    /** The words that match one of the terms. */
    matching: async (terms: readonly TermCount[], words: readonly string[]): Promise<ReadonlySet<string>> => {
      const statement = sql`
        SELECT w.word FROM unnest(${words}::text[]) AS w (word)
        WHERE ${lexemes(raw('w.word'))} @@ ${bare(terms)}::tsquery`;
      return new Set((await queryRows(prisma, wordRow, statement)).map(({ word }) => word));
    },
  };
}

/** The index within one search; `numbers` are those of the searched bases. */
function readerOf(tx: Tx) {
  return {
    /** The terms of the words, as the index has them, with their frequencies; stop words are left out. */
    countTerms: (numbers: readonly string[], words: readonly string[]) =>
      queryRows(tx, termRow, countTerms(numbers, words.join(' '))),
    /** The most promising passages, best first. */
    find: (numbers: readonly string[], plan: SearchPlan, limit: number) =>
      queryRows(tx, passageRow, findPassages(numbers, plan, limit)),
  };
}

const spelled = (separator: string, end = ''): Statement =>
  raw(`string_agg(quote_literal(b.number || '${separator}' || t.lexeme)${end}, ' | ')::tsquery`);

// A prefix match needs four letters, or fewer in scripts of three bytes per letter; numbers are matched exactly.
function countTerms(numbers: readonly string[], words: string): Statement {
  const limit = sql`${MAX_PASSAGES + 1}::int`;
  return sql`
    WITH lexemes AS (
      SELECT lexeme FROM unnest(${lexemes(sql`${words}::text`)}) ORDER BY length(lexeme) DESC, positions LIMIT ${MAX_TERMS}::int
    ), terms AS (
      SELECT t.lexeme, ${spelled('.')} AS query, ${spelled('.', " || ':*'")} AS beginning,
        t.lexeme ~ '^\\D' AND (length(t.lexeme) > 3 OR octet_length(t.lexeme) = 3 * length(t.lexeme)) AS may_begin
      FROM lexemes t CROSS JOIN unnest(${numbers}::text[]) AS b (number) GROUP BY t.lexeme
    )
    SELECT t.lexeme, greatest(e.count, p.count)::int AS count, p.count > 0 AS "isBeginning"
    FROM terms t
    CROSS JOIN LATERAL (
      SELECT count(*) FROM (SELECT FROM knowledge_passages WHERE terms @@ t.query LIMIT ${limit}) AS x
    ) e
    CROSS JOIN LATERAL (
      SELECT count(*) FROM (
        SELECT FROM knowledge_passages WHERE e.count = 0 AND t.may_begin AND terms @@ t.beginning LIMIT ${limit}
      ) AS x
    ) p`;
}

/** SQL of the weight of a passage's coverage, without the parts that need its text. */
const worth = (inTitle: Statement, density: Statement): Statement => sql`
  (${raw(String(SHARES.coverage))} + ${raw(String(SHARES.inTitle))} * ${inTitle} + ${raw(String(SHARES.density))} * ${density})`;

/** Chooses passages to open by the index alone, then searches these for each term. */
function findPassages(numbers: readonly string[], plan: SearchPlan, limit: number): Statement {
  const queries = plan.terms.map((term) => anywhere(numbers, term));
  const titles = plan.terms.map((term) => inTitle(numbers, term));
  const weights = plan.terms.map(({ weight }) => weight);
  const lookUps = chooseLookUps(plan, { anywhere: queries, inTitle: titles });
  const total = sql`${plan.totalWeight}::float8`;
  const titleShare = sql`coalesce(sum(weight) FILTER (WHERE kind = 'title'), 0) / ${total}`;
  return sql`
    WITH seen AS (
      SELECT s.kind, s.weight, p.document_id, p.n
      FROM unnest(${lookUps.map(({ kind }) => kind)}::text[], ${lookUps.map(({ weight }) => weight)}::float8[],
        ${lookUps.map(({ query }) => query)}::text[]) AS s (kind, weight, query)
      CROSS JOIN LATERAL (
        SELECT document_id, n FROM knowledge_passages WHERE terms @@ s.query::tsquery LIMIT ${MAX_PASSAGES}::int
      ) p
    ), chosen AS (
      SELECT document_id, n FROM seen GROUP BY document_id, n
      ORDER BY greatest(
          sum(weight) FILTER (WHERE kind = 'word'), max(weight) FILTER (WHERE kind = 'words'),
          sum(weight) FILTER (WHERE kind = 'title')
        ) * ${worth(titleShare, raw('0'))} DESC, document_id, n
      LIMIT ${MAX_OPENED}::int
    ), opened AS (
      -- Concatenated, so that the terms are unpacked once and not for each comparison.
      SELECT p.document_id, p.n, p.text, p.terms || ''::tsvector AS terms
      FROM chosen JOIN knowledge_passages p USING (document_id, n) OFFSET 0
    ), judged AS (
      SELECT o.document_id, o.n, o.text, has.weight / ${total} AS coverage,
        coalesce(has.title_weight, 0) / ${total} AS in_title,
        ts_rank_cd('{1,1,1,1}', o.terms, has.query::tsquery, 32)::float8 AS density
      FROM opened o CROSS JOIN LATERAL (
        SELECT sum(t.weight) AS weight, sum(t.weight) FILTER (WHERE o.terms @@ t.title::tsquery) AS title_weight,
          string_agg('(' || t.query || ')', ' & ') AS query
        FROM unnest(${queries}::text[], ${titles}::text[], ${weights}::float8[]) AS t (query, title, weight)
        WHERE o.terms @@ t.query::tsquery
      ) has
    )
    SELECT d.knowledge_base_id AS "knowledgeBaseId", d.id AS "documentId", d.title, j.text, j.coverage,
      j.in_title AS "inTitle", j.density
    FROM judged j JOIN knowledge_documents d ON d.id = j.document_id
    ORDER BY j.coverage * ${worth(raw('j.in_title'), raw('j.density'))} DESC, d.id, j.n
    LIMIT ${limit}::int`;
}
