import type { SqlClient } from '@parley/testkit';

/** Copies of the template with tools, varied names and edit times; one in three has a long prompt. */
/** A number for every tenth assistant, and a thousand more for the first, as for a switchboard. */

type Template = { id: string; toolId: string };

/** Returns the ids of a random sample. */
export async function seed(
  sql: SqlClient,
  { workspaceId, count, template }: { workspaceId: string; count: number; template: Template },
): Promise<string[]> {
  await sql.$executeRaw`
  INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
  SELECT md5('assistant ' || ${workspaceId} || n)::uuid, ${workspaceId}::uuid,
    (ARRAY['Ada', 'Grace', 'Linus', 'Barbara', 'Edsger', 'Donald', 'Ärztin'])[1 + n % 7] || ' ' ||
    (ARRAY['Sales', 'Support', 'Booking', 'Survey', 'Billing'])[1 + n % 5] || ' ' || n,
    agent_type,
    replace(replace(config::text, ${template.toolId}, md5('tool ' || ${workspaceId} || n)::uuid::text), 'You are',
      CASE WHEN n % 3 = 0 THEN (SELECT string_agg(md5(n || ' ' || k), ' ') FROM generate_series(1, 100) k) ELSE 'You are' END
    )::json,
    1, now() - n * interval '1 minute', now() - hashint4(n)::bigint % 100000 * interval '1 minute' - interval '2 months'
  FROM assistants, generate_series(1, ${count}::int) n WHERE id = ${template.id}::uuid`;
  await sql.$executeRaw`
  INSERT INTO tools SELECT (jsonb_populate_record(t, jsonb_build_object(
    'id', md5('tool ' || ${workspaceId} || n)::uuid, 'agent_id', md5('assistant ' || ${workspaceId} || n)::uuid, 'workspace_id', ${workspaceId}::uuid))).*
  FROM tools t, generate_series(1, ${count}::int) n WHERE t.id = ${template.toolId}::uuid`;
  await sql.$executeRaw`
  INSERT INTO number_links (phone_number_id, workspace_id, phone_number, inbound_agent_id, outbound_agent_id, version)
  SELECT gen_random_uuid(), ${workspaceId}::uuid, '+1' || (4155550000 + n), agent_id, agent_id, 1 FROM (
    SELECT n, md5('assistant ' || ${workspaceId} || CASE WHEN n % 10 = 0 THEN n ELSE 1 END)::uuid AS agent_id
    FROM generate_series(1, ${count}::int) n WHERE n % 10 = 0 OR n % 100 = 1
  ) AS numbers`;
  await sql.$executeRaw`VACUUM ANALYZE`;
  const rows = await sql.$queryRaw<
    { id: string }[]
  >`SELECT id::text FROM assistants WHERE workspace_id = ${workspaceId}::uuid ORDER BY md5(id::text) LIMIT ${5_000}`;
  return rows.map(({ id }) => id);
}
