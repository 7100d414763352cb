import { type Sql, uniqueViolation } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import type { OwnTool } from '../domain/config/settle-tool-ids.ts';
import type { ToolStore } from '../domain/tools/ports.ts';
import type { Tool } from '../domain/tools/tool.ts';
import { insertValues, saveValues, TOOL_COLUMNS, type ToolRow, toTool } from './tool-rows.ts';

const FIND = `SELECT ${TOOL_COLUMNS} FROM tools t WHERE t.workspace_id = $1::uuid AND t.id = $2::uuid`;
// Held, so that what is written back is not older than what a rotation of keys wrote meanwhile.
const HOLD = `${FIND} FOR UPDATE`;
const OF_AGENT = 'FROM tools t WHERE t.workspace_id = $1::uuid AND t.agent_id = $2::uuid';
const OWN = `
  SELECT t.id, t.tool_name AS "toolName", t.is_native AS "isNative" ${OF_AGENT} ORDER BY t.created_at, t.id`;
const HOLD_NATIVE = `SELECT ${TOOL_COLUMNS} ${OF_AGENT} AND t.is_native ORDER BY t.created_at, t.id FOR UPDATE`;
const LISTED = `SELECT ${TOOL_COLUMNS} ${OF_AGENT} AND t.id = ANY ($3::uuid[])`;
const COUNT = `SELECT count(*)::int AS count ${OF_AGENT}`;

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

const SAVE = `
  UPDATE tools SET tool_name = $3, description = $4, endpoint_url = $5, http_method = $6, headers = $7,
    header_names = $8::text[], parameters = $9::json, timeout_seconds = $10, tool_behavior = $11,
    result_scheduling = $12, sms_content_type = $13, sms_static_message = $14, telco_credentials = $15,
    telco_from_number = $16, transfer_call_mode = $17, transfer_call_destination = $18, transfer_call_type = $19,
    updated_at = $20::timestamptz
  WHERE workspace_id = $1::uuid AND id = $2::uuid`;
const REMOVE = 'DELETE FROM tools WHERE workspace_id = $1::uuid AND id = $2::uuid';

export function createToolStore(sql: Sql): ToolStore {
  return {
    find: (workspaceId, id) => first(sql, FIND, workspaceId, id),
    hold: (tx, workspaceId, id) => first(tx, HOLD, workspaceId, id),
    page: async (workspaceId, agentId, { search, nativeOnly, limit, offset }) => {
      const values = [workspaceId, agentId, search ?? null, nativeOnly, limit, offset];
      const rows = await sql.$queryRawUnsafe<(ToolRow & { total: number })[]>(PAGE, ...values);
      // An empty page is one row that only tells the total.
      const items = rows.filter(({ id }) => id !== null).map(toTool);
      return { items, total: rows[0]?.total ?? 0 };
    },
    ownOf: (tx, workspaceId, agentId) => tx.$queryRawUnsafe<OwnTool[]>(OWN, workspaceId, agentId),
    holdNative: (tx, workspaceId, agentId) => all(tx, HOLD_NATIVE, workspaceId, agentId),
    countOf: async (tx, workspaceId, agentId) => {
      const [row] = await tx.$queryRawUnsafe<{ count: number }[]>(COUNT, workspaceId, agentId);
      return row?.count ?? 0;
    },
    insert: (tx, tool) => write(tx, INSERT, tool, insertValues(tool)),
    save: (tx, tool) => write(tx, SAVE, tool, saveValues(tool)),
    remove: async (tx, workspaceId, id) => {
      await tx.$executeRawUnsafe(REMOVE, workspaceId, id);
    },
  };
}

/** The index over assistant and name has the last word about a name that is taken. */
async function write(tx: Sql, statement: string, { toolName }: Tool, values: unknown[]): Promise<void> {
  try {
    await tx.$executeRawUnsafe(statement, ...values);
  } catch (err) {
    if (uniqueViolation(err)) throw conflict(`The assistant already has a tool named ${toolName}`);
    throw err;
  }
}

/** Those of an assistant's tools that have one of the ids. */
export function findListed(
  sql: Sql,
  { workspaceId, agentId, ids }: { workspaceId: string; agentId: string; ids: readonly string[] },
): Promise<Tool[]> {
  return all(sql, LISTED, workspaceId, agentId, [...ids]);
}

async function first(sql: Sql, query: string, ...values: string[]): Promise<Tool | undefined> {
  return (await all(sql, query, ...values))[0];
}

async function all(sql: Sql, query: string, ...values: unknown[]): Promise<Tool[]> {
  const rows = await sql.$queryRawUnsafe<ToolRow[]>(query, ...values);
  return rows.map(toTool);
}
