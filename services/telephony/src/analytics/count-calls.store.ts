import { join, queryRow, raw, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import { FIGURES, figuresOfCalls, SUMS } from './call-figures.store.ts';
import { SPANS } from './time-buckets.ts';

const BATCH = 2_000;
const countRow = z.object({ count: z.number() });

/** The stored and the new array, added element by element. */
const added = (column: string): Statement => {
  const both = raw(`stored.${column}, EXCLUDED.${column}`);
  return sql`${raw(column)} = ARRAY(
    SELECT coalesce(a, 0) + coalesce(b, 0) FROM unnest(${both}) WITH ORDINALITY AS pair (a, b, n) ORDER BY n)`;
};
const ADDED = join([
  ...[
    'calls',
    'inbound',
    'outbound',
    'web',
    'answered',
    'successful',
    'duration',
    'cost',
    'turns',
    'latency_ms',
  ].map((column) => raw(`${column} = stored.${column} + EXCLUDED.${column}`)),
  added('outcomes'),
  added('latencies'),
]);

/** Adds the sums of `source` to a table, in the order of its key, in which all replicas lock rows. */
const addTo = (table: string, key: string, source: string): Statement => sql`
  INSERT INTO ${raw(table)} AS stored (${raw(key)}, ${FIGURES})
  SELECT ${raw(key)}, calls, inbound, outbound, web, answered, successful, duration, cost, outcomes::int[], turns, latency_ms,
    latencies::int[]
  FROM (SELECT ${raw(key)}, ${SUMS} FROM ${raw(source)} GROUP BY ${raw(key)}) sums
  ORDER BY ${raw(key)}
  ON CONFLICT (${raw(key)}) DO UPDATE SET ${ADDED}`;

/**
 * Adds completed calls to the rollups, each once: the statement that adds a call also removes it from `uncounted_calls`. Replicas take
 * different calls. Returns whether there may be more.
 */
export async function countCalls(client: SqlClient, limit = BATCH): Promise<boolean> {
  const row = await queryRow(
    client,
    countRow,
    sql`
  WITH taken AS (
    DELETE FROM uncounted_calls WHERE call_id = ANY (ARRAY (
      SELECT call_id FROM uncounted_calls LIMIT ${limit} FOR UPDATE SKIP LOCKED))
    RETURNING call_id
  ), spanned AS MATERIALIZED (
    SELECT f.*, span_minutes, date_bin(make_interval(mins => span_minutes), f.created_at, 'epoch') AS starts_at
    FROM (${figuresOfCalls(sql`taken JOIN calls c ON c.id = taken.call_id`)}) f
    CROSS JOIN unnest(${[...SPANS]}::int[]) AS span_minutes
  ), by_resource AS (
    ${addTo('call_rollups', 'workspace_id, span_minutes, starts_at, agent_id, phone_number_id, campaign_id, call_type', 'spanned')}
  ), by_outcome AS (
    ${addTo('call_outcomes', 'workspace_id, span_minutes, starts_at, agent_id, phone_number_id, campaign_id, call_type, outcome', 'spanned')}
  ), typed AS (
    SELECT workspace_id, span_minutes, starts_at, type AS call_type, ${FIGURES} FROM spanned
    CROSS JOIN LATERAL (VALUES (call_type), ('all')) AS types (type)
  ), in_total AS (
    ${addTo('call_totals', 'workspace_id, span_minutes, starts_at, call_type', 'typed')}
  )
  SELECT count(*)::int AS count FROM taken`,
  );
  return (row?.count ?? 0) === limit;
}
