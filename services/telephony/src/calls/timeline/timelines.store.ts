import { callType, disconnectionReason } from '@parley/contracts';
import { queryRows, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../../prisma.ts';
import type { TimelineCall, TimelineItem } from './ports.ts';

/** A timeline is read as a whole: the maximum entries of each table, and the maximum length of a tool's result. */
const MAX_ENTRIES = 5_000;
const MAX_RESULT_CHARACTERS = 2_000;

const row = z.object({
  callType,
  fromNumber: z.string().nullable(),
  toNumber: z.string().nullable(),
  callSid: z.string().nullable(),
  reason: disconnectionReason.nullable(),
  duration: z.number().nullable(),
  cost: z.number().nullable(),
  startedAt: z.date().nullable(),
  endedAt: z.date().nullable(),
  at: z.date().nullable(),
  type: z.string().nullable(),
  detail: z.unknown(),
});

export type Timelines = ReturnType<typeof createTimelines>;

export function createTimelines(prisma: PrismaClient) {
  return {
    /** Everything recorded about a call; undefined: the workspace has no such call. */
    find: async (
      workspaceId: string,
      callId: string,
    ): Promise<{ call: TimelineCall; items: TimelineItem[] } | undefined> => {
      const rows = await queryRows(prisma, row, findStatement(workspaceId, callId));
      const [call] = rows;
      if (!call) return undefined;
      // The writers of `call_events` and `turns` type them.
      const items = rows.flatMap(({ at, type, detail }) =>
        at ? [{ at, type, detail } as TimelineItem] : [],
      );
      return { call, items };
    },
  };
}

/** One statement, so that the call and its entries are of one moment. */
const findStatement = (workspaceId: string, callId: string): Statement => sql`
  SELECT c.call_type AS "callType", c.from_number AS "fromNumber", c.to_number AS "toNumber", c.call_sid AS "callSid",
    c.disconnection_reason AS reason, c.duration, c.cost, c.started_at AS "startedAt", c.ended_at AS "endedAt", item.at, item.type, item.detail
  FROM calls c LEFT JOIN LATERAL (
    (SELECT at, seq, type, detail FROM call_events e WHERE e.call_id = c.id ORDER BY at, seq LIMIT ${MAX_ENTRIES})
    UNION ALL
    (SELECT t.at, t.seq, 'turn', json_build_object('role', t.role, 'content', t.content, 'latency', t.latency, 'interrupted', t.interrupted)
     FROM turns t WHERE t.call_id = c.id AND t.role <> 'tool' ORDER BY t.seq LIMIT ${MAX_ENTRIES})
    UNION ALL
    (SELECT t.at, t.seq, 'tool', json_build_object('tool_name', t.tool_name, 'tool_type', coalesce(x.tool_type, 'custom'), 'args', x.args,
       'status_code', t.status_code, 'error', t.error, 'slow', coalesce(x.slow, false), 'result',
       CASE WHEN length(t.result::text) > ${MAX_RESULT_CHARACTERS}
         THEN to_json(left(t.result::text, ${MAX_RESULT_CHARACTERS}::int) || ' [cut]') ELSE t.result END)
     FROM turns t LEFT JOIN tool_executions x ON x.call_id = t.call_id AND x.seq = t.seq
     WHERE t.call_id = c.id AND t.role = 'tool' ORDER BY t.seq LIMIT ${MAX_ENTRIES})
  ) item ON true
  WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ${callId}::uuid
  ORDER BY item.at, item.seq`;
