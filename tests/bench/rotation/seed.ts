import { randomUUID } from 'node:crypto';
import type { SecretBox } from '@parley/kit/secrets';
import type { SqlClient } from '@parley/testkit';

export type Agent = { id: string; toolIds: string[] };

type Template = { id: string; config: { toolIds: string[] } };
type Size = { agents: number; toolsEach: number };

/** The headers of a tool at creation or after a change. */
export const headersOf = (toolId: string, version = 0) => ({ 'X-Key': `secret ${toolId} ${version}` });

/** Copies of the template with custom tools, each with one encrypted header. */
export async function seedSecrets(
  sql: SqlClient,
  box: SecretBox,
  template: Template,
  { agents, toolsEach }: Size,
): Promise<Agent[]> {
  const made = Array.from({ length: agents }, () => ({
    id: randomUUID(),
    toolIds: Array.from({ length: toolsEach }, () => randomUUID()),
  }));
  const configs = made.map(({ toolIds }) => JSON.stringify({ ...template.config, toolIds }));
  await sql.$executeRaw`
  INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
  SELECT g.id, workspace_id, agent_name, agent_type, g.config, version, created_at, updated_at
  FROM assistants a, unnest(${made.map(({ id }) => id)}::uuid[], ${configs}::json[]) AS g (id, config) WHERE a.id = ${template.id}::uuid`;
  const tools = made.flatMap(({ id, toolIds }) => toolIds.map((toolId) => ({ id: toolId, agentId: id })));
  await sql.$executeRaw`
  INSERT INTO tools SELECT (json_populate_record(t, json_build_object(
    'id', g.id, 'agent_id', g.agent_id, 'tool_name', 'tool_' || g.n, 'headers', g.headers))).*
  FROM tools t, unnest(${tools.map(({ id }) => id)}::uuid[], ${tools.map(({ agentId }) => agentId)}::uuid[], ${tools.map(({ id }) => box.seal(JSON.stringify(headersOf(id)), `tools:headers:${id}`))}::text[]) WITH ORDINALITY AS g (id, agent_id, headers, n)
  WHERE t.id = ${template.config.toolIds.at(-1)}::uuid`;
  await sql.$executeRaw`VACUUM ANALYZE`;
  return made;
}
