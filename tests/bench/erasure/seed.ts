import { raw } from '@parley/kit/db';
import type { SqlClient } from '@parley/testkit';
import { seed } from '../call-reads/seed.ts';

export type Seeds = { telephony: SqlClient; campaigns: SqlClient; webhooks: SqlClient };

/** One call in this many is the person's. */
const EVERY = 50_000;

/** Adds calls with turns and timelines, contacts and events to one workspace, some of them the person's. */
export async function seedPerson(
  { telephony, campaigns, webhooks }: Seeds,
  { workspaceId, phoneNumber, calls }: { workspaceId: string; phoneNumber: string; calls: number },
): Promise<void> {
  await seed(telephony, new Map([[workspaceId, calls]]));
  await telephony.$executeRaw`
  UPDATE calls SET to_number = ${phoneNumber}, dynamic_variables = jsonb_build_object('phone', ${phoneNumber}::text)
  WHERE id IN (SELECT md5(${workspaceId}::text || n)::uuid FROM generate_series(1, ${calls}::int, ${EVERY}::int) n)`;
  await telephony.$executeRaw`
  INSERT INTO turns (call_id, seq, role, content, at)
  SELECT id, seq, CASE seq % 2 WHEN 0 THEN 'user' ELSE 'agent' END,
    'Yes, that would suit us well, number ' || left(id::text, 8) || CASE WHEN to_number = ${phoneNumber} THEN ', and mine is ' || ${phoneNumber}::text ELSE '' END, created_at
  FROM calls CROSS JOIN generate_series(1, 2) seq WHERE workspace_id = ${workspaceId}::text::uuid AND duration > 0`;
  await telephony.$executeRaw`
  INSERT INTO call_events (call_id, at, type, detail)
  SELECT id, created_at, type, '{"cause": "hangup"}' FROM calls CROSS JOIN unnest(ARRAY['queued', 'ended']) type
  WHERE workspace_id = ${workspaceId}::text::uuid`;
  await campaigns.$executeRaw`
  INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, status, total_contacts, max_retries,
    retry_intervals, completed_at, created_at, updated_at)
  VALUES (${workspaceId}::text::uuid, ${workspaceId}::text::uuid, 'Large', ${workspaceId}::text::uuid, ${workspaceId}::text::uuid, 'completed', ${calls}, 0, '{}', now(), now(), now())`;
  await campaigns.$executeRaw`
  INSERT INTO contacts (campaign_id, id, phone_number, contact_name, custom_data, status)
  SELECT ${workspaceId}::text::uuid, md5(${workspaceId}::text || n)::uuid, CASE n % ${EVERY}::int WHEN 1 THEN ${phoneNumber}::text ELSE '+1' || (2000000000 + n) END, 'Contact ' || n,
    '{"plan": "basic"}', 'succeeded'
  FROM generate_series(1, ${calls}::int) n`;
  await webhooks.$executeRaw`
  INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, blocked, created_at)
  SELECT md5('event ' || ${workspaceId}::text || n)::uuid, ${workspaceId}::text::uuid, md5(${workspaceId}::text || n)::uuid, md5(${workspaceId}::text || n)::uuid, 'call_analyzed', 3,
    json_build_object('call_id', md5(${workspaceId}::text || n), 'to_number', CASE n % ${EVERY}::int WHEN 1 THEN ${phoneNumber}::text ELSE '+1' || (2000000000 + n) END,
      'transcript', repeat('How can I help you today? ' || n || ' ', 20))::text, 'delivered', false, now()
  FROM generate_series(1, ${calls}::int) n`;
  for (const sql of [telephony, campaigns, webhooks]) await sql.$executeRaw`VACUUM ANALYZE`;
}

/** Counts of rows that still contain the digits, by table. */
export async function rowsWith(sql: SqlClient, digits: string): Promise<[table: string, rows: number][]> {
  const found: [string, number][] = [];
  for (const { name } of await sql.$queryRaw<{ name: string }[]>`
  SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`) {
    const [row] = await sql.$queryRaw<
      { rows: number }[]
    >`SELECT count(*)::int AS rows FROM ${raw(name)} t WHERE t::text LIKE ${`%${digits}%`}`;
    if (row && row.rows > 0) found.push([name, row.rows]);
  }
  return found;
}
