import type { CallType, Grouping } from '@parley/contracts';
import { join, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import { FIGURES, figuresOfCalls, NONE_ID, SUMS } from './call-figures.store.ts';
import { coverWithSpans, type TimeBucket } from './time-buckets.ts';

export type AnalyticsFilters = {
  agent_id?: string | undefined;
  phone_number_id?: string | undefined;
  campaign_id?: string | undefined;
  call_type?: CallType | undefined;
  /** The only assistants that the caller may see [trust.9]; undefined: all. */
  visibleAgentIds?: readonly string[] | undefined;
};

const sums = {
  calls: z.number(),
  inbound: z.number(),
  outbound: z.number(),
  web: z.number(),
  answered: z.number(),
  successful: z.number(),
  duration: z.number(),
  cost: z.number(),
  outcomes: z.array(z.number()),
  turns: z.number(),
  latency_ms: z.number(),
  latencies: z.array(z.number()),
};
const sumsRow = z.object({
  is_total: z.boolean(),
  key: z.string().nullable(),
  label: z.string().nullable(),
  groups: z.number(),
  ...sums,
});
/** Sums of the columns of the rollups; arrays may be empty. */
export type FigureSums = z.infer<z.ZodObject<typeof sums>>;
export type GroupSums = FigureSums & { key: string | null; label: string | null };

export type Analytics = {
  /** `buckets` are consecutive and make up the range of the query. Of groups by resource, the largest `limit` are returned. */
  sum(
    workspaceId: string,
    query: { groupBy: Grouping; buckets: readonly TimeBucket[]; filters: AnalyticsFilters; limit: number },
  ): Promise<{ totals: FigureSums; groups: GroupSums[]; groupCount: number }>;
};

const KEYS: Record<Grouping, Statement> = {
  none: sql`0`,
  hour: sql`bucket`,
  day: sql`bucket`,
  assistant: sql`agent_id`,
  number: sql`phone_number_id`,
  campaign: sql`campaign_id`,
  outcome: sql`outcome`,
};

/** The names of the grouped resources; deleted ones have none. */
const labelOf = (groupBy: Grouping, workspaceId: string): Statement => {
  if (groupBy === 'assistant')
    return sql`(SELECT a.agent_name FROM agents a WHERE a.agent_id = g.key::uuid AND a.workspace_id = ${workspaceId}::uuid
      AND NOT a.deleted)`;
  if (groupBy === 'number')
    return sql`(SELECT n.phone_number FROM phone_numbers n WHERE n.id = g.key::uuid AND n.workspace_id = ${workspaceId}::uuid)`;
  return sql`NULL`;
};

/** Reads rollups, and calls that are not in them yet, in one statement: a call is in exactly one of them. */
export function createAnalytics(client: SqlClient): Analytics {
  return {
    sum: async (workspaceId, { groupBy, buckets, filters, limit }) => {
      const rows = await queryRows(
        client,
        sumsRow,
        sql`
  WITH runs AS (${runsOf(buckets)}),
  matching AS (
    SELECT runs.bucket, r.* FROM runs CROSS JOIN LATERAL (${rollupsOf(workspaceId, groupBy, filters)}) r
    UNION ALL
    SELECT width_bucket(r.created_at, ${startsOf(buckets)}::timestamptz[]) - 1, r.agent_id, r.phone_number_id, r.campaign_id,
      r.outcome, ${FIGURES}
    FROM (${figuresOfCalls(uncountedOf(workspaceId, groupBy, buckets))}) r WHERE ${withFilters(sql`true`, sql`r`, filters)}
  ),
  grouped AS MATERIALIZED (
    SELECT (${KEYS[groupBy]})::text AS key, ${SUMS} FROM matching GROUP BY 1
  )
  SELECT true AS is_total, NULL AS key, NULL AS label, count(*)::int AS groups, ${SUMS} FROM grouped
  UNION ALL
  (SELECT false, g.key, ${labelOf(groupBy, workspaceId)}, 0, ${FIGURES}
  FROM grouped g ORDER BY calls DESC, key LIMIT ${limit})`,
      );
      const [totals, ...groups] = rows;
      if (!totals) throw new Error('the totals are one row');
      return {
        totals,
        groups: groups.map((group) => ({ ...group, key: group.key === NONE_ID ? null : group.key })),
        groupCount: totals.groups,
      };
    },
  };
}

/** The rollups of a run. Without a filter, the far fewer rollups of the whole workspace are used. `OFFSET` keeps the planner from
 * reading all rollups before the join. */
function rollupsOf(workspaceId: string, groupBy: Grouping, filters: AnalyticsFilters): Statement {
  const { agent_id, phone_number_id, campaign_id, call_type, visibleAgentIds } = filters;
  const isByResource = groupBy === 'assistant' || groupBy === 'number' || groupBy === 'campaign';
  const isOfAll = !isByResource && !(agent_id ?? phone_number_id ?? campaign_id ?? visibleAgentIds);
  const none = sql`${NONE_ID}::uuid`;
  const resource = isOfAll
    ? sql`${none} AS agent_id, ${none} AS phone_number_id, ${none} AS campaign_id`
    : sql`agent_id, phone_number_id, campaign_id`;
  const source =
    groupBy === 'outcome'
      ? sql`${resource}, outcome, ${FIGURES} FROM ${isOfAll ? sql`outcome_totals` : sql`call_outcomes`} r`
      : sql`${resource}, '' AS outcome, ${FIGURES} FROM ${isOfAll ? sql`call_totals` : sql`call_rollups`} r`;
  const matches = isOfAll
    ? sql`r.call_type = ${call_type ?? 'all'}`
    : withFilters(sql`true`, sql`r`, filters);
  return sql`SELECT ${source}
    WHERE r.workspace_id = ${workspaceId}::uuid AND r.span_minutes = runs.span_minutes
      AND r.starts_at >= runs.starts_at AND r.starts_at < runs.ends_at AND ${matches}
    OFFSET 0`;
}

/** Normally far fewer calls are waiting. After an upgrade all earlier calls are, and a read doesn't wait for all of them. */
const MAX_UNCOUNTED = 10_000;

/** Calls in the range of the buckets that the rollups of this grouping don't contain yet. */
const uncountedOf = (
  workspaceId: string,
  groupBy: Grouping,
  buckets: readonly TimeBucket[],
): Statement => sql`
  (SELECT call_id, workspace_id FROM ${groupBy === 'outcome' ? sql`uncounted_outcomes` : sql`uncounted_calls`}
    WHERE workspace_id = ${workspaceId}::uuid LIMIT ${MAX_UNCOUNTED}) u
  JOIN calls c ON c.id = u.call_id AND c.workspace_id = u.workspace_id
    AND c.created_at >= ${isoOf(buckets[0]?.fromMs)}::timestamptz AND c.created_at < ${isoOf(buckets.at(-1)?.toMs)}::timestamptz`;

/** The spans of all buckets, each with the index of its bucket. */
function runsOf(buckets: readonly TimeBucket[]): Statement {
  const runs = buckets.flatMap(({ fromMs, toMs }, bucket) =>
    coverWithSpans(fromMs, toMs).map((run) => ({ bucket, ...run })),
  );
  return sql`SELECT * FROM unnest(${runs.map(({ bucket }) => bucket)}::int[], ${runs.map(({ spanMinutes }) => spanMinutes)}::int[],
    ${runs.map(({ fromMs }) => isoOf(fromMs))}::timestamptz[], ${runs.map(({ toMs }) => isoOf(toMs))}::timestamptz[])
    AS run (bucket, span_minutes, starts_at, ends_at)`;
}

const startsOf = (buckets: readonly TimeBucket[]): string[] => buckets.map(({ fromMs }) => isoOf(fromMs));
const isoOf = (ms = 0): string => new Date(ms).toISOString();

/** `first` and the conditions of the filters on `table`, which is an alias of calls or of their figures. */
export function withFilters(first: Statement, table: Statement, filters: AnalyticsFilters): Statement {
  const { agent_id, phone_number_id, campaign_id, call_type, visibleAgentIds } = filters;
  return join(
    [
      first,
      ...(agent_id ? [sql`${table}.agent_id = ${agent_id}::uuid`] : []),
      ...(visibleAgentIds ? [sql`${table}.agent_id = ANY (${[...visibleAgentIds]}::uuid[])`] : []),
      ...(phone_number_id ? [sql`${table}.phone_number_id = ${phone_number_id}::uuid`] : []),
      ...(campaign_id ? [sql`${table}.campaign_id = ${campaign_id}::uuid`] : []),
      ...(call_type ? [sql`${table}.call_type = ${call_type}`] : []),
    ],
    ' AND ',
  );
}
