import { type SqlClient, sql } from '@parley/kit/db';
import type { PrismaClient } from '../../prisma.ts';
import type { BegunTool, ToolsUnderWay } from '../ports.ts';
import type { WithoutErased } from '../without-erased.ts';

export function createToolsUnderWay(client: SqlClient, withoutErased: WithoutErased): ToolsUnderWay {
  return {
    // The share lock makes a takeover either see this row or refuse it.
    begin: async ({ workerId }, call, tool) => {
      const { id, fence } = call;
      const { toolCallId, toolName, toolType, description, args } = await withoutErased(call, tool);
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
  prisma: PrismaClient,
  callIds: readonly string[],
): Promise<Map<string, BegunTool[]>> {
  const begun = new Map<string, BegunTool[]>();
  const where = { callId: { in: [...callIds] } };
  for (const { callId, ...tool } of await prisma.toolUnderWay.findMany({
    where,
    orderBy: { toolCallId: 'asc' },
  }))
    begun.set(callId, [...(begun.get(callId) ?? []), tool]);
  return begun;
}
