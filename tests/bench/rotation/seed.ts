import { randomUUID } from 'node:crypto';
import type { SecretBox } from '@parley/kit/secrets';
import type { SqlClient } from '@parley/testkit';

export type Agent = { id: string; toolIds: string[] };

const ASSISTANTS = `
  INSERT INTO assistants (id, workspace_id, agent_name, agent_type, config, version, created_at, updated_at)
  SELECT g.id, workspace_id, agent_name, agent_type, g.config, version, created_at, updated_at
  FROM assistants a, unnest($2::uuid[], $3::json[]) AS g (id, config) WHERE a.id = $1::uuid`;
const TOOLS = `
  INSERT INTO tools SELECT (json_populate_record(t, json_build_object(
    'id', g.id, 'agent_id', g.agent_id, 'tool_name', 'tool_' || g.n, 'headers', g.headers))).*
  FROM tools t, unnest($2::uuid[], $3::uuid[], $4::text[]) WITH ORDINALITY AS g (id, agent_id, headers, n)
  WHERE t.id = $1::uuid`;

type Template = { id: string; config: { toolIds: string[] } };
type Size = { agents: number; toolsEach: number };

/** The headers that a tool is made with, or changed to. */
export const headersOf = (toolId: string, version = 0) => ({ 'X-Key': `secret ${toolId} ${version}` });

/** Copies of the template, each with custom tools whose headers the box has sealed: as many secrets as there are tools. */
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
  await sql.$executeRawUnsafe(
    ASSISTANTS,
    template.id,
    made.map(({ id }) => id),
    configs,
  );
  const tools = made.flatMap(({ id, toolIds }) => toolIds.map((toolId) => ({ id: toolId, agentId: id })));
  await sql.$executeRawUnsafe(
    TOOLS,
    template.config.toolIds.at(-1),
    tools.map(({ id }) => id),
    tools.map(({ agentId }) => agentId),
    tools.map(({ id }) => box.seal(JSON.stringify(headersOf(id)), `tools:headers:${id}`)),
  );
  await sql.$executeRawUnsafe('VACUUM ANALYZE');
  return made;
}
