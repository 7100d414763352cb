import type { Sql } from '@parley/kit/db';
import type { AgentCopies } from '../domain/agents/ports.ts';

type Row = { agent_id: string; agent_name: string; version: number; webhook_url: string | null };

const FIND = `
  SELECT agent_id::text, agent_name, version, webhook_url FROM agents
  WHERE workspace_id = $1::uuid AND agent_id = ANY ($2::uuid[]) AND NOT deleted`;

// A row that keeps its values is locked all the same.
const REMEMBER = `
  INSERT INTO agents AS known (agent_id, workspace_id, agent_name, version, webhook_url)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5)
  ON CONFLICT (agent_id) DO UPDATE
  SET agent_name = EXCLUDED.agent_name, version = EXCLUDED.version, webhook_url = EXCLUDED.webhook_url
  WHERE known.version < EXCLUDED.version AND NOT known.deleted`;

const IS_DELETED = 'SELECT deleted FROM agents WHERE agent_id = $1::uuid AND workspace_id = $2::uuid';

// A tombstone of an assistant that was never heard of has no name: nothing shows it.
const BURY = `
  INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted) VALUES ($1::uuid, $2::uuid, '', $3, true)
  ON CONFLICT (agent_id) DO UPDATE SET deleted = true, version = EXCLUDED.version`;

export function createAgentCopies(sql: Sql): AgentCopies {
  return {
    find: async (workspaceId, agentIds) => {
      const rows = await sql.$queryRawUnsafe<Row[]>(FIND, workspaceId, [...agentIds]);
      return new Map(
        rows.map((row) => [
          row.agent_id,
          {
            agentId: row.agent_id,
            agentName: row.agent_name,
            version: row.version,
            webhookUrl: row.webhook_url,
          },
        ]),
      );
    },
    remember: async (tx, workspaceId, { agentId, agentName, version, webhookUrl }) => {
      await tx.$executeRawUnsafe(REMEMBER, agentId, workspaceId, agentName, version, webhookUrl);
      const [row] = await tx.$queryRawUnsafe<{ deleted: boolean }[]>(IS_DELETED, agentId, workspaceId);
      return row?.deleted === false;
    },
    bury: async (tx, workspaceId, { agentId, version }) => {
      await tx.$executeRawUnsafe(BURY, agentId, workspaceId, version);
    },
  };
}
