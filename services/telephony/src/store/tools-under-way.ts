import type { Sql } from '@parley/kit/db';
import type { BegunTool, ToolsUnderWay } from '../domain/calls/ports.ts';

/** The call's row is held for the moment: whoever takes it over reads this afterwards, or this is refused. */
const BEGIN = `
  WITH held AS (
    SELECT id FROM calls WHERE id = $1::uuid AND worker_id = $2::uuid AND fence = $3 AND status <> 'completed' FOR SHARE
  )
  INSERT INTO tools_under_way (tool_call_id, call_id, tool_name, tool_type, description, args)
  SELECT $4::uuid, id, $5, $6, $7, $8::json FROM held`;

const READ = `
  SELECT call_id::text, tool_call_id::text, tool_name, tool_type, description, args FROM tools_under_way
  WHERE call_id = ANY ($1::uuid[]) ORDER BY tool_call_id`;

type Row = {
  call_id: string;
  tool_call_id: string;
  tool_name: string;
  tool_type: string;
  description: string | null;
  args: unknown;
};

export function createToolsUnderWay(sql: Sql): ToolsUnderWay {
  return {
    begin: async ({ workerId }, { id, fence }, { toolCallId, toolName, toolType, description, args }) => {
      const tool = [toolCallId, toolName, toolType, description, JSON.stringify(args)];
      return (await sql.$executeRawUnsafe(BEGIN, id, workerId, fence, ...tool)) > 0;
    },
  };
}

/** What was begun and is on no record, by call, in the order in which it was begun. */
export async function readBegunTools(
  sql: Sql,
  callIds: readonly string[],
): Promise<Map<string, BegunTool[]>> {
  const begun = new Map<string, BegunTool[]>();
  for (const row of await sql.$queryRawUnsafe<Row[]>(READ, [...callIds])) {
    const { tool_call_id: toolCallId, tool_name: toolName, tool_type: toolType, description, args } = row;
    const tool = { toolCallId, toolName, toolType, description, args };
    begun.set(row.call_id, [...(begun.get(row.call_id) ?? []), tool]);
  }
  return begun;
}
