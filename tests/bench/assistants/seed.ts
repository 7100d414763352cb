import type { SqlClient } from '@parley/testkit';

/** Copies of the template, each with tools of its own, with names and edits of all sorts; one in three has a long prompt. */
const ASSISTANTS = `
  INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
  SELECT md5('assistant ' || $2 || n)::uuid, $2::uuid,
    (ARRAY['Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Donald', 'Ärztin'])[1 + n % 7] || ' ' ||
    (ARRAY['Sales', 'Support', 'Booking', 'Survey', 'Billing'])[1 + n % 5] || ' ' || n,
    agent_type,
    replace(replace(config::text, $4, md5('tool ' || $2 || n)::uuid::text), 'You are',
      CASE WHEN n % 3 = 0 THEN (SELECT string_agg(md5(n || ' ' || k), ' ') FROM generate_series(1, 100) k) ELSE 'You are' END
    )::json,
    1, now() - n * interval '1 minute', now() - hashint4(n)::bigint % 100000 * interval '1 minute' - interval '2 months'
  FROM assistants, generate_series(1, $3::int) n WHERE id = $1::uuid`;
const TOOLS = `
  INSERT INTO tools SELECT (jsonb_populate_record(t, jsonb_build_object(
    'id', md5('tool ' || $1 || n)::uuid, 'agent_id', md5('assistant ' || $1 || n)::uuid, 'workspace_id', $1::uuid))).*
  FROM tools t, generate_series(1, $2::int) n WHERE t.id = $3::uuid`;
/** One number for every tenth, and a thousand more for the first: a switchboard. */
const NUMBERS = `
  INSERT INTO number_links (phone_number_id, workspace_id, phone_number, inbound_agent_id, outbound_agent_id, version)
  SELECT gen_random_uuid(), $1::uuid, '+1' || (4155550000 + n), agent_id, agent_id, 1 FROM (
    SELECT n, md5('assistant ' || $1 || CASE WHEN n % 10 = 0 THEN n ELSE 1 END)::uuid AS agent_id
    FROM generate_series(1, $2::int) n WHERE n % 10 = 0 OR n % 100 = 1
  ) AS numbers`;
const IDS = 'SELECT id::text FROM assistants WHERE workspace_id = $1::uuid ORDER BY md5(id::text) LIMIT $2';

type Template = { id: string; toolId: string };

/** Gives ids of some of them, drawn by lot. */
export async function seed(
  sql: SqlClient,
  { workspaceId, count, template }: { workspaceId: string; count: number; template: Template },
): Promise<string[]> {
  await sql.$executeRawUnsafe(ASSISTANTS, template.id, workspaceId, count, template.toolId);
  await sql.$executeRawUnsafe(TOOLS, workspaceId, count, template.toolId);
  await sql.$executeRawUnsafe(NUMBERS, workspaceId, count);
  await sql.$executeRawUnsafe('VACUUM ANALYZE');
  const rows = await sql.$queryRawUnsafe<{ id: string }[]>(IDS, workspaceId, 5_000);
  return rows.map(({ id }) => id);
}
