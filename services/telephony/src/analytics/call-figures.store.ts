import { CALL_TYPES, DISCONNECTION_REASONS } from '@parley/contracts';
import { join, raw, type Statement, sql } from '@parley/kit/db';
import { BUCKET_BOUNDS, BUCKETS } from './latency-buckets.ts';

/** The id in rollups of calls without a number or a campaign. */
export const NONE_ID = '00000000-0000-0000-0000-000000000000';

/** The human was reached, or a message was left [campaigns.13]. */
const SUCCESSFUL = sql`(c.answered_at IS NOT NULL
  AND c.disconnection_reason IN ('completed', 'user_hangup', 'agent_hangup', 'timeout', 'call_transfer')
  OR c.disconnection_reason = 'voicemail' AND c.voicemail_message_left)`;

const OUTCOMES = join(
  DISCONNECTION_REASONS.map((reason) => sql`(c.disconnection_reason = ${raw(`'${reason}'`)})::int`),
);
const TYPES = raw(CALL_TYPES.map((type) => `(c.call_type = '${type}')::int AS ${type}`).join(', '));
const BOUNDS = raw(`ARRAY[${BUCKET_BOUNDS.join(', ')}]::float8[]`);
const HISTOGRAM = raw(
  Array.from({ length: BUCKETS }, (_, i) => `count(*) FILTER (WHERE bucket = ${i})`).join(', '),
);

/**
 * The figures of each of the completed calls `calls c` that match, in the columns of the rollups. A turn's latency is the time until
 * the answer could be heard [calls.21].
 */
export const figuresOfCalls = (from: Statement): Statement => sql`
  SELECT c.id, c.workspace_id, c.created_at, c.agent_id, coalesce(c.phone_number_id, ${NONE_ID}::uuid) AS phone_number_id,
    coalesce(c.campaign_id, ${NONE_ID}::uuid) AS campaign_id, c.call_type, coalesce(c.disconnection_reason, '') AS outcome,
    1 AS calls, ${TYPES},
    (c.answered_at IS NOT NULL)::int AS answered, ${SUCCESSFUL}::int AS successful,
    coalesce(c.duration, 0)::bigint AS duration, coalesce(c.cost, 0)::bigint AS cost, ARRAY[${OUTCOMES}] AS outcomes,
    spoken.turns, spoken.latency_ms, spoken.latencies
  FROM ${from}
  CROSS JOIN LATERAL (
    SELECT count(*) AS turns, coalesce(sum(ms), 0) AS latency_ms,
      CASE WHEN count(*) > 0 THEN ARRAY[${HISTOGRAM}]::int[] ELSE '{}' END AS latencies
    FROM (
      SELECT ms, width_bucket(ms, ${BOUNDS}) AS bucket
      FROM (SELECT (t.latency ->> 'first_audio_ms')::float8 AS ms FROM turns t
        WHERE t.call_id = c.id AND c.answered_at IS NOT NULL AND t.latency IS NOT NULL) heard
      WHERE ms IS NOT NULL
    ) bucketed
  ) spoken`;

const sumsOf = (array: string, length: number): Statement =>
  raw(
    `ARRAY[${Array.from({ length }, (_, i) => `coalesce(sum(${array}[${i + 1}]), 0)::float8`).join(', ')}]`,
  );

/** The summed columns of the rollup tables. */
export const FIGURES = raw(
  'calls, inbound, outbound, web, answered, successful, duration, cost, outcomes, turns, latency_ms, latencies',
);

/** Sums of these columns, of rollups or of the figures of calls. */
export const SUMS = sql`coalesce(sum(calls), 0)::float8 AS calls, coalesce(sum(inbound), 0)::float8 AS inbound,
  coalesce(sum(outbound), 0)::float8 AS outbound, coalesce(sum(web), 0)::float8 AS web, coalesce(sum(answered), 0)::float8 AS answered,
  coalesce(sum(successful), 0)::float8 AS successful, coalesce(sum(duration), 0)::float8 AS duration,
  coalesce(sum(cost), 0)::float8 AS cost, ${sumsOf('outcomes', DISCONNECTION_REASONS.length)} AS outcomes,
  coalesce(sum(turns), 0)::float8 AS turns, coalesce(sum(latency_ms), 0)::float8 AS latency_ms,
  CASE WHEN sum(turns) > 0 THEN ${sumsOf('latencies', BUCKETS)} ELSE '{}' END AS latencies`;
