import { type Sql, uniqueViolation } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import type { ToolStore } from '../domain/tools/ports.ts';
import type { Tool } from '../domain/tools/tool.ts';
import { TOOL_COLUMNS, type ToolRow, toolValues, toTool } from './tool-rows.ts';

const FIND = `SELECT ${TOOL_COLUMNS} FROM tools t WHERE t.workspace_id = $1::uuid AND t.id = $2::uuid`;
const OF_AGENT = `
  SELECT ${TOOL_COLUMNS} FROM tools t WHERE t.workspace_id = $1::uuid AND t.agent_id = $2::uuid ORDER BY t.created_at, t.id`;

// strpos, not LIKE: what is searched for is plain text. One statement, so that items and total tell of one moment.
const PAGE = `
  WITH matches AS NOT MATERIALIZED (
    SELECT id, created_at FROM tools
    WHERE workspace_id = $1::uuid AND agent_id = $2::uuid AND (is_native OR NOT $4::boolean)
      AND ($3::text IS NULL OR strpos(lower(tool_name), lower($3)) > 0)
  ), page AS (
    SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT $5::int OFFSET $6::bigint
  )
  SELECT c.total, ${TOOL_COLUMNS}
  FROM (SELECT count(*)::int AS total FROM matches) c
  LEFT JOIN (page JOIN tools t USING (id)) ON true
  ORDER BY t.created_at DESC, t.id DESC`;

const INSERT = `
  INSERT INTO tools (id, workspace_id, agent_id, tool_name, description, is_native, endpoint_url, http_method, headers,
    header_names, parameters, timeout_seconds, tool_behavior, result_scheduling, sms_content_type, sms_static_message,
    telco_credentials, telco_from_number, transfer_call_mode, transfer_call_destination, transfer_call_type,
    created_at, updated_at)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, $6, $7, $8, $9, $10::text[], $11::json, $12, $13, $14, $15, $16, $17,
    $18, $19, $20, $21, $22::timestamptz, $23::timestamptz)`;

export function createToolStore(sql: Sql): ToolStore {
  return {
    find: async (workspaceId, id) => {
      const [row] = await sql.$queryRawUnsafe<ToolRow[]>(FIND, workspaceId, id);
      return row && toTool(row);
    },
    page: async (workspaceId, agentId, { search, nativeOnly, limit, offset }) => {
      const values = [workspaceId, agentId, search ?? null, nativeOnly, limit, offset];
      const rows = await sql.$queryRawUnsafe<(ToolRow & { total: number })[]>(PAGE, ...values);
      // An empty page is one row that only tells the total.
      const items = rows.filter(({ id }) => id !== null).map(toTool);
      return { items, total: rows[0]?.total ?? 0 };
    },
    insert: async (tx, tool) => {
      try {
        await tx.$executeRawUnsafe(INSERT, ...toolValues(tool));
      } catch (err) {
        if (uniqueViolation(err)) throw conflict(`The assistant already has a tool named ${tool.toolName}`);
        throw err;
      }
    },
  };
}

/** All tools of an assistant, oldest first. */
export async function findToolsOf(sql: Sql, workspaceId: string, agentId: string): Promise<Tool[]> {
  const rows = await sql.$queryRawUnsafe<ToolRow[]>(OF_AGENT, workspaceId, agentId);
  return rows.map(toTool);
}
