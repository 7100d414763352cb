import type { Sql } from '@parley/kit/db';
import type { TimelineCall, TimelineItem, Timelines } from '../domain/timeline/ports.ts';

type Row = TimelineCall & { at: Date | null; type: TimelineItem['type']; detail: unknown };

/** A timeline is read whole: so many entries and so much of a tool's result at most. */
const MOST = 5_000;
const MOST_RESULT = 2_000;

const FIND = `
  SELECT c.call_type AS "callType", c.from_number AS "fromNumber", c.to_number AS "toNumber", c.call_sid AS "callSid",
    c.disconnection_reason AS reason, c.duration, c.cost, c.started_at AS "startedAt", c.ended_at AS "endedAt", item.at, item.type, item.detail
  FROM calls c LEFT JOIN LATERAL (
    (SELECT at, seq, type, detail FROM call_events e WHERE e.call_id = c.id ORDER BY at, seq LIMIT ${MOST})
    UNION ALL
    (SELECT t.at, t.seq, 'turn', json_build_object('role', t.role, 'content', t.content)
     FROM turns t WHERE t.call_id = c.id AND t.role <> 'tool' ORDER BY t.seq LIMIT ${MOST})
    UNION ALL
    (SELECT t.at, t.seq, 'tool', json_build_object('tool_name', t.tool_name, 'tool_type', coalesce(x.tool_type, 'custom'), 'args', x.args,
       'status_code', t.status_code, 'error', t.error, 'slow', coalesce(x.slow, false), 'result',
       CASE WHEN length(t.result::text) > ${MOST_RESULT} THEN to_json(left(t.result::text, ${MOST_RESULT}) || ' [cut]')
         ELSE t.result END)
     FROM turns t LEFT JOIN tool_executions x ON x.call_id = t.call_id AND x.seq = t.seq
     WHERE t.call_id = c.id AND t.role = 'tool' ORDER BY t.seq LIMIT ${MOST})
  ) item ON true
  WHERE c.workspace_id = $1::uuid AND c.id = $2::uuid
  ORDER BY item.at, item.seq`;

/** One statement, so that the call and what is told of it are of one moment. */
export function createTimelines(sql: Sql): Timelines {
  return {
    find: async (workspaceId, callId) => {
      const rows = await sql.$queryRawUnsafe<Row[]>(FIND, workspaceId, callId);
      const [call] = rows;
      if (!call) return undefined;
      return { call, items: rows.filter(({ at }) => at !== null).map(toItem) };
    },
  };
}

function toItem({ at, type, detail }: Row): TimelineItem {
  return { at, type, detail } as TimelineItem;
}
