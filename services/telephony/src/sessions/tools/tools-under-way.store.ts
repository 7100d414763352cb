import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { BegunTool, ToolsUnderWay } from '../ports.ts';

const begunRow = z.object({
  call_id: z.string(),
  tool_call_id: z.string(),
  tool_name: z.string(),
  tool_type: z.string(),
  description: z.string().nullable(),
  args: z.unknown(),
});

export function createToolsUnderWay(client: SqlClient): ToolsUnderWay {
  return {
    // The share lock makes a takeover either see this row or refuse it.
    begin: async ({ workerId }, { id, fence }, { toolCallId, toolName, toolType, description, args }) => {
      const inserted = await client.$executeRaw(sql`
        WITH held AS (
          SELECT id FROM calls
          WHERE id = ${id}::uuid AND worker_id = ${workerId}::uuid AND fence = ${fence} AND status <> 'completed'
          FOR SHARE
        )
        INSERT INTO tools_under_way (tool_call_id, call_id, tool_name, tool_type, description, args)
        SELECT ${toolCallId}::uuid, id, ${toolName}, ${toolType}, ${description}, ${JSON.stringify(args)}::json FROM held`);
      return inserted > 0;
    },
  };
}

/** Tools that were started and have no recorded result, by call, in the order of their start. */
export async function readBegunTools(
  client: SqlClient,
  callIds: readonly string[],
): Promise<Map<string, BegunTool[]>> {
  const begun = new Map<string, BegunTool[]>();
  const rows = await queryRows(
    client,
    begunRow,
    sql`SELECT call_id::text, tool_call_id::text, tool_name, tool_type, description, args FROM tools_under_way
      WHERE call_id = ANY (${[...callIds]}::uuid[]) ORDER BY tool_call_id`,
  );
  for (const {
    call_id,
    tool_call_id: toolCallId,
    tool_name: toolName,
    tool_type: toolType,
    ...rest
  } of rows) {
    const tool = { toolCallId, toolName, toolType, ...rest };
    begun.set(call_id, [...(begun.get(call_id) ?? []), tool]);
  }
  return begun;
}
