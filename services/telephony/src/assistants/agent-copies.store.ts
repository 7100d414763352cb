import type { Sql } from '@parley/kit/db';
import type { AgentCopies, Hearsay } from './ports.ts';

type Row = { agent_id: string; agent_name: string; version: number; webhook_url: string | null };

const FIND = `
  SELECT agent_id::text, agent_name, version, webhook_url FROM agents
  WHERE workspace_id = $1::uuid AND agent_id = ANY ($2::uuid[]) AND NOT deleted`;

// An unchanged row is locked too.
const REMEMBER = `
  INSERT INTO agents AS known (agent_id, workspace_id, agent_name, version, webhook_url)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5)
  ON CONFLICT (agent_id) DO UPDATE
  SET agent_name = EXCLUDED.agent_name, version = EXCLUDED.version, webhook_url = EXCLUDED.webhook_url
  WHERE known.version < EXCLUDED.version AND NOT known.deleted`;

const IS_DELETED = 'SELECT deleted FROM agents WHERE agent_id = $1::uuid AND workspace_id = $2::uuid';

// A tombstone of an assistant that was never heard of has no name: nothing shows it.
const BURY = `
  INSERT INTO agents (agent_id, workspace_id, agent_name, version, deleted, deleted_at)
  VALUES ($1::uuid, $2::uuid, '', $3, true, $4::timestamptz)
  ON CONFLICT (agent_id) DO UPDATE SET deleted = true, version = EXCLUDED.version, deleted_at = EXCLUDED.deleted_at`;
const HEARD_OF = `
  SELECT agent_id::text AS id, version, deleted AS "isDeleted" FROM agents WHERE agent_id = ANY ($1::uuid[])`;

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
    bury: async (tx, workspaceId, { agentId, version, at }) => {
      await tx.$executeRawUnsafe(BURY, agentId, workspaceId, version, at.toISOString());
    },
    heardOf: async (agentIds) => {
      const rows = await sql.$queryRawUnsafe<({ id: string } & Hearsay)[]>(HEARD_OF, [...agentIds]);
      return new Map(rows.map(({ id, ...hearsay }) => [id, hearsay]));
    },
  };
}
