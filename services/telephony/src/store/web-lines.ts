import type { Sql } from '@parley/kit/db';
import type { WebLine, WebLines, WebNews } from '../domain/web-calls/ports.ts';

const COLUMNS = `call_id::text AS "callId", joined_at AS "joinedAt", answered_at AS "answeredAt", ended_at AS "endedAt",
  ended_cause AS "endedCause"`;

const OPEN = `INSERT INTO web_lines (call_id, joined_at) VALUES ($1::uuid, $2::timestamptz) ON CONFLICT DO NOTHING`;

const ANSWER = `UPDATE web_lines SET answered_at = $2::timestamptz
  WHERE call_id = $1::uuid AND answered_at IS NULL AND ended_at IS NULL`;

const END = `UPDATE web_lines SET ended_at = $3::timestamptz, ended_cause = $2 WHERE call_id = $1::uuid AND ended_at IS NULL`;

/** How far a human may be ahead of what the assistant has heard. */
const MOST_UNHEARD = 20;

/** A call that was stopped before a worker took it leaves its line as it was. */
const HOLD = `SELECT 1 FROM web_lines l JOIN calls c ON c.id = l.call_id
  WHERE c.workspace_id = $1::uuid AND c.id = $2::uuid AND c.status <> 'completed' AND l.ended_at IS NULL
  FOR UPDATE OF l`;

const WRITE = `
  INSERT INTO web_messages (call_id, seq, content, at)
  SELECT $1::uuid, written.n, $2, $3::timestamptz
  FROM (SELECT count(*)::int AS n FROM web_messages WHERE call_id = $1::uuid) written,
    (SELECT count(*)::int AS n FROM turns WHERE call_id = $1::uuid AND role = 'user') heard
  WHERE written.n - heard.n < ${MOST_UNHEARD}`;

const NEWS = `
  SELECT ${COLUMNS.replace('call_id', 'l.call_id')}, m.seq, m.content
  FROM unnest($1::text[], $2::int[]) AS asked (id, next)
  JOIN web_lines l ON l.call_id = asked.id::uuid
  LEFT JOIN web_messages m ON m.call_id = l.call_id AND m.seq >= asked.next
  WHERE m.seq IS NOT NULL OR l.ended_at IS NOT NULL
  ORDER BY l.call_id, m.seq`;

type NewsRow = WebLine & { seq: number | null; content: string | null };

export function createWebLines(sql: Sql): WebLines {
  return {
    find: async (callId) => {
      const query = `SELECT ${COLUMNS} FROM web_lines WHERE call_id = $1::uuid`;
      const [line] = await sql.$queryRawUnsafe<WebLine[]>(query, callId);
      return line;
    },
    open: async (tx, callId, at) => {
      await tx.$executeRawUnsafe(OPEN, callId, at.toISOString());
    },
    answer: async (callId, at) => {
      await sql.$executeRawUnsafe(ANSWER, callId, at.toISOString());
    },
    end: async (callId, cause, at) => {
      await sql.$executeRawUnsafe(END, callId, cause, at.toISOString());
    },
    write: async (tx, { workspaceId, callId }, content, at) => {
      const open = await tx.$queryRawUnsafe<unknown[]>(HOLD, workspaceId, callId);
      if (open.length === 0) return false;
      return (await tx.$executeRawUnsafe(WRITE, callId, content, at.toISOString())) > 0;
    },
    news: async (asked) => {
      const rows = await sql.$queryRawUnsafe<NewsRow[]>(NEWS, [...asked.keys()], [...asked.values()]);
      const news = new Map<string, WebNews>();
      for (const { seq, content, ...line } of rows) {
        const of = news.get(line.callId) ?? { line, messages: [] };
        news.set(line.callId, of);
        if (seq !== null && content !== null) of.messages.push({ seq, content });
      }
      return [...news.values()];
    },
  };
}
