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

/** Takes calls out of `uncounted_calls` or `uncounted_outcomes`; replicas take different ones. */
const takeFrom = (table: string, limit: number): Statement => sql`
  DELETE FROM ${raw(table)} WHERE call_id = ANY (ARRAY (
    SELECT call_id FROM ${raw(table)} LIMIT ${limit} FOR UPDATE SKIP LOCKED))
  RETURNING call_id`;

/**
 * The calls to count: in the rollups, by outcome, or both. A call is in both tables, unless a process of the previous version has counted
 * it.
 */
const taken = (limit: number): Statement => sql`
  calls_taken AS (${takeFrom('uncounted_calls', limit)}),
  outcomes_taken AS (${takeFrom('uncounted_outcomes', limit)}),
  taken AS MATERIALIZED (
    SELECT call_id, c.call_id IS NOT NULL AS is_call, o.call_id IS NOT NULL AS is_outcome
    FROM calls_taken c FULL JOIN outcomes_taken o USING (call_id)
  )`;

/** The figures of each call, once for each span that it is in. */
const SPANNED = sql`
  spanned AS MATERIALIZED (
    SELECT f.*, is_call, is_outcome, span_minutes,
      date_bin(make_interval(mins => span_minutes), f.created_at, 'epoch') AS starts_at
    FROM (${figuresOfCalls(sql`taken JOIN calls c ON c.id = taken.call_id`)}) f JOIN taken ON taken.call_id = f.id
    CROSS JOIN unnest(${[...SPANS]}::int[]) AS span_minutes
  )`;

/** The same without resources, under the call's type and under `all`. */
const TYPED = sql`
  typed AS (
    SELECT workspace_id, span_minutes, starts_at, type AS call_type, outcome, is_call, is_outcome, ${FIGURES} FROM spanned
    CROSS JOIN LATERAL (VALUES (call_type), ('all')) AS types (type)
  )`;

/** Keys of the tables: figures by resource, and totals by type. */
const RESOURCE = 'workspace_id, span_minutes, starts_at, agent_id, phone_number_id, campaign_id, call_type';
const TYPE = 'workspace_id, span_minutes, starts_at, call_type';

const ROLLUPS = sql`
  by_resource AS (${addTo('call_rollups', RESOURCE, 'spanned WHERE is_call')}),
  by_outcome AS (${addTo('call_outcomes', `${RESOURCE}, outcome`, 'spanned WHERE is_outcome')}),
  in_total AS (${addTo('call_totals', TYPE, 'typed WHERE is_call')}),
  by_outcome_in_total AS (${addTo('outcome_totals', `${TYPE}, outcome`, 'typed WHERE is_outcome')})`;

/**
 * Adds completed calls to the rollups, each once: the statement that adds a call also removes it from `uncounted_calls`, and from
 * `uncounted_outcomes` for the figures by disconnection reason. Returns whether there may be more.
 */
export async function countCalls(client: SqlClient, limit = BATCH): Promise<boolean> {
  const row = await queryRow(
    client,
    countRow,
    sql`
  WITH ${taken(limit)}, ${SPANNED}, ${TYPED}, ${ROLLUPS}
  SELECT greatest((SELECT count(*) FROM calls_taken), (SELECT count(*) FROM outcomes_taken))::int AS count`,
  );
  return (row?.count ?? 0) === limit;
}
