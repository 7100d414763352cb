import { raw } from '@parley/kit/db';
import { monotonicMs, realSleep } from '@parley/kit/time';
import type { SqlClient } from '@parley/testkit';

const AGENTS = 200;
const NUMBERS = 100;
const CONTACTS_OF_CAMPAIGN = 20_000;

/**
 * Calls of all kinds over a year, the newest a minute ago: half of them in consecutive campaigns, a third unanswered, to
 * many different numbers.
 */

type Index = { name: string; definition: string };

/** Adds the given number of calls to each workspace, then vacuums as autovacuum would. */
export async function seed(sql: SqlClient, workspaces: ReadonlyMap<string, number>): Promise<void> {
  const indexes = await sql.$queryRaw<Index[]>`
  SELECT indexname AS name, indexdef AS definition FROM pg_indexes
  WHERE tablename = 'calls' AND indexname <> 'calls_pkey'`;
  for (const { name } of indexes) await sql.$executeRaw`DROP INDEX "${raw(name)}"`;
  for (const [id, calls] of workspaces)
    await sql.$executeRaw`
  INSERT INTO calls (id, workspace_id, agent_id, call_type, phone_number_id, from_number, to_number, status, phase,
    rate_cents, campaign_id, contact_id, dynamic_variables, started_at, answered_at, ended_at, duration, cost,
    disconnection_reason, transcript, transcript_json, summary, analysis_data, analysed_at, created_at, updated_at)
  SELECT id, ${id}::uuid, md5('agent ' || abs(hashint4(n + 7)::bigint) % ${AGENTS}::int)::uuid,
    CASE WHEN n % 10 < 7 THEN 'outbound' WHEN n % 10 < 9 THEN 'inbound' ELSE 'web' END,
    CASE WHEN n % 10 < 9 THEN md5('number ' || abs(hashint4(n + 7)::bigint) % ${NUMBERS}::int)::uuid END,
    '+1555010' || lpad((n % ${NUMBERS}::int)::text, 4, '0'),
    '+1' || 2000000000 + abs(hashint4(n)::bigint) * 3 % 7999999999, 'completed', 'ended', 10,
    CASE WHEN n % 10 < 5 THEN md5('campaign ' || n / ${CONTACTS_OF_CAMPAIGN}::int)::uuid END, NULL,
    '{"contact_name": "Ada"}', at, CASE WHEN seconds > 0 THEN at END, at + seconds * interval '1 s', seconds,
    (seconds * 10 + 59) / 60,
    CASE WHEN seconds = 0 THEN (ARRAY['dial_no_answer', 'dial_busy', 'dial_failed'])[1 + n % 3]
      WHEN n % 20 = 0 THEN 'voicemail' WHEN n % 50 = 1 THEN 'timeout' WHEN n % 4 = 0 THEN 'agent_hangup'
      ELSE 'user_hangup' END,
    repeat('[2026-01-31T08:00:00.000Z] Agent: Hello, how can I help you today? ', 6),
    jsonb_build_object('conversation', jsonb_build_array(jsonb_build_object('role', 'user', 'content', md5(n::text)))),
    'They spoke about ' || md5(n::text), '{"interested": true}', at, at, at
  FROM (
    SELECT n, md5(${id}::text || n)::uuid AS id, now() - (${calls}::int - n + 1) * (interval '1 year' / ${calls}::int) AS at,
      CASE WHEN hashint4(n + 3) % 3 = 0 THEN 0 ELSE abs(hashint4(n + 5)::bigint) % 600 END AS seconds
    FROM generate_series(1, ${calls}::int) n
  ) call`;
  for (const { definition } of indexes) await sql.$executeRaw(raw(definition));
  await sql.$executeRaw`VACUUM ANALYZE`;
}

/** Waits until the running telephony has added all calls to the rollups; returns the seconds. It takes a core while many are left. */
export async function untilCounted(sql: SqlClient): Promise<number> {
  const began = monotonicMs();
  for (;;) {
    const [row] = await sql.$queryRaw<{ any: boolean }[]>`
      SELECT EXISTS (SELECT FROM uncounted_calls) OR EXISTS (SELECT FROM uncounted_outcomes) AS any`;
    if (!row?.any) break;
    await realSleep(500);
  }
  const seconds = (monotonicMs() - began) / 1_000;
  await sql.$executeRaw`VACUUM ANALYZE`;
  return seconds;
}

/** An evenly spread sample of a workspace's calls. */
export async function someCalls(
  sql: SqlClient,
  [workspaceId, calls]: readonly [string, number],
  most: number,
): Promise<string[]> {
  const rows = await sql.$queryRaw<
    { id: string }[]
  >`SELECT md5(${workspaceId}::text || 1 + n * 7919::bigint % ${calls}::int)::uuid::text AS id FROM generate_series(1, ${most}::int) n`;
  return rows.map(({ id }) => id);
}
