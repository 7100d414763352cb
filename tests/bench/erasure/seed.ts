import type { SqlClient } from '@parley/testkit';
import { seed } from '../call-reads/seed.ts';

export type Seeds = { telephony: SqlClient; campaigns: SqlClient; webhooks: SqlClient };

/** The person's calls are spread over all of them. */
const EVERY = 50_000;

const PERSONS_CALLS = `
  UPDATE calls SET to_number = $3, dynamic_variables = jsonb_build_object('phone', $3::text)
  WHERE id IN (SELECT md5($1::text || n)::uuid FROM generate_series(1, $2::int, ${EVERY}) n)`;
const TURNS = `
  INSERT INTO turns (call_id, seq, role, content, at)
  SELECT id, seq, CASE seq % 2 WHEN 0 THEN 'user' ELSE 'agent' END,
    'Yes, that would suit us well, number ' || left(id::text, 8) || CASE WHEN to_number = $2 THEN ', and mine is ' || $2 ELSE '' END, created_at
  FROM calls CROSS JOIN generate_series(1, 2) seq WHERE workspace_id = $1::text::uuid AND duration > 0`;
const TIMELINE = `
  INSERT INTO call_events (call_id, at, type, detail)
  SELECT id, created_at, type, '{"cause": "hangup"}' FROM calls CROSS JOIN unnest(ARRAY['queued', 'ended']) type
  WHERE workspace_id = $1::text::uuid`;
const CAMPAIGN = `
  INSERT INTO campaigns (id, workspace_id, name, agent_id, phone_number_id, status, total_contacts, max_retries,
    retry_intervals, completed_at, created_at, updated_at)
  VALUES ($1::text::uuid, $1::text::uuid, 'Large', $1::text::uuid, $1::text::uuid, 'completed', $2, 0, '{}', now(), now(), now())`;
const CONTACTS = `
  INSERT INTO contacts (campaign_id, id, phone_number, contact_name, custom_data, status)
  SELECT $1::text::uuid, md5($1::text || n)::uuid, CASE n % ${EVERY} WHEN 1 THEN $3::text ELSE '+1' || (2000000000 + n) END, 'Contact ' || n,
    '{"plan": "basic"}', 'succeeded'
  FROM generate_series(1, $2::int) n`;
const EVENTS = `
  INSERT INTO events (id, workspace_id, call_id, agent_id, event, position, body, status, blocked, created_at)
  SELECT md5('event ' || $1::text || n)::uuid, $1::text::uuid, md5($1::text || n)::uuid, md5($1::text || n)::uuid, 'call_analyzed', 3,
    json_build_object('call_id', md5($1::text || n), 'to_number', CASE n % ${EVERY} WHEN 1 THEN $3::text ELSE '+1' || (2000000000 + n) END,
      'transcript', repeat('How can I help you today? ' || n || ' ', 20))::text, 'delivered', false, now()
  FROM generate_series(1, $2::int) n`;

/** So many calls with turns and timeline, contacts and events of one workspace, some of them the person's. */
export async function seedPerson(
  { telephony, campaigns, webhooks }: Seeds,
  { workspaceId, phoneNumber, calls }: { workspaceId: string; phoneNumber: string; calls: number },
): Promise<void> {
  await seed(telephony, new Map([[workspaceId, calls]]));
  await telephony.$executeRawUnsafe(PERSONS_CALLS, workspaceId, calls, phoneNumber);
  await telephony.$executeRawUnsafe(TURNS, workspaceId, phoneNumber);
  await telephony.$executeRawUnsafe(TIMELINE, workspaceId);
  await campaigns.$executeRawUnsafe(CAMPAIGN, workspaceId, calls);
  await campaigns.$executeRawUnsafe(CONTACTS, workspaceId, calls, phoneNumber);
  await webhooks.$executeRawUnsafe(EVENTS, workspaceId, calls, phoneNumber);
  for (const sql of [telephony, campaigns, webhooks]) await sql.$executeRawUnsafe('VACUUM ANALYZE');
}

const TABLES = `
  SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;

/** Rows that have the digits still, by table. */
export async function rowsWith(sql: SqlClient, digits: string): Promise<[table: string, rows: number][]> {
  const found: [string, number][] = [];
  for (const { name } of await sql.$queryRawUnsafe<{ name: string }[]>(TABLES)) {
    const [row] = await sql.$queryRawUnsafe<{ rows: number }[]>(
      `SELECT count(*)::int AS rows FROM ${name} t WHERE t::text LIKE $1`,
      `%${digits}%`,
    );
    if (row && row.rows > 0) found.push([name, row.rows]);
  }
  return found;
}
