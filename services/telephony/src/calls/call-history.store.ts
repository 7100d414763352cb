import { queryRow, queryRows, raw, readInSteps, STEP_BYTES, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { PrismaClient } from '../prisma.ts';
import { type CallFilters, callCondition, type LegacyPage, legacyCondition } from './call-filters.store.ts';
import { type CallHead, type CallRecord, callHead, callRecord } from './call-record.ts';
import { type LegacyRecord, legacyRecord } from './legacy-call.ts';

/** Columns of `calls c`, with the current name of the assistant. */
const HEAD_COLUMNS = sql`c.id, c.workspace_id, c.agent_id, a.agent_name, c.call_type, c.from_number, c.to_number,
  c.status, c.duration, c.cost, c.started_at, c.answered_at, c.ended_at, c.disconnection_reason, c.created_at,
  c.updated_at`;
const RECORD_COLUMNS = sql`${HEAD_COLUMNS}, n.id AS phone_number_id, n.phone_number, n.nickname, c.call_sid,
  c.recording_key, c.recording_sid, c.summary, c.transcript, c.enhanced_transcript, c.transcript_json,
  c.transcript_fix_count, c.analysis_data, c.dynamic_variables, c.metadata, c.campaign_id, c.unresolved_placeholders`;
const LEGACY_COLUMNS = sql`c.id, c.call_sid, c.call_type, c.from_number, c.to_number, c.status, c.duration,
  c.disconnection_reason, c.started_at, c.ended_at, c.created_at, c.agent_id, n.id AS phone_number_id, c.summary,
  c.analysis_data`;
const AGENT_JOIN = sql`LEFT JOIN agents a ON a.agent_id = c.agent_id AND a.workspace_id = c.workspace_id AND NOT a.deleted`;
const NUMBER_JOIN = sql`LEFT JOIN phone_numbers n ON n.id = c.phone_number_id AND n.workspace_id = c.workspace_id`;

/** Calls of a page read in one statement: more would block the process, and with it requests of other workspaces. */
const CALLS_AT_ONCE = 100;

/** `rest`: the ids of the page's further calls, in the first row. */
const pageRow = z.union([
  callHead.extend({ total: z.number(), rest: z.array(z.string()).nullable() }),
  // Only the total: the page is past the last call.
  z.object({ id: z.null(), total: z.number() }),
]);
const turnRow = z.object({
  seq: z.number(),
  role: z.enum(['user', 'agent']),
  content: z.string(),
  at: z.date(),
});

/** `place`: the time of creation in full precision. */
const exportedRow = callHead.extend({
  campaign_id: z.string().nullable(),
  summary: z.string().nullable(),
  place: z.string(),
});
export type ExportedCall = z.infer<typeof exportedRow>;
const EXPORTED_AT_ONCE = 500;

const FIRST = raw(String(CALLS_AT_ONCE));

type Slice = { limit: number; offset: number };
type SpokenTurnRow = z.infer<typeof turnRow>;

export type CallHistory = ReturnType<typeof createCallHistory>;

/** Reads calls, newest first. */
export function createCallHistory(prisma: PrismaClient) {
  return {
    find: (workspaceId: string, id: string): Promise<CallRecord | undefined> =>
      queryRow(
        prisma,
        callRecord,
        sql`SELECT ${RECORD_COLUMNS} FROM calls c ${AGENT_JOIN} ${NUMBER_JOIN}
          WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ${id}::uuid`,
      ),

    page: async (
      workspaceId: string,
      filters: CallFilters,
      slice: Slice,
    ): Promise<{ items: AsyncIterable<CallHead>; total: number }> => {
      const rows = await queryRows(
        prisma,
        pageRow,
        pageStatement(callCondition(workspaceId, filters), slice),
      );
      const first = rows.flatMap((row) => {
        if (row.id === null) return [];
        const { total, rest, ...call } = row;
        return [{ id: call.id, bytes: 0, row: call }];
      });
      const [head] = rows;
      const ids = head && head.id !== null ? (head.rest ?? []) : [];
      const rest = ids.map((id) => ({ id, bytes: STEP_BYTES / CALLS_AT_ONCE, row: undefined }));
      const read = (step: string[]): Promise<CallHead[]> =>
        queryRows(
          prisma,
          callHead,
          sql`SELECT ${HEAD_COLUMNS} FROM calls c ${AGENT_JOIN}
            WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ANY (${step}::uuid[])`,
        );
      return { items: readInSteps([...first, ...rest], read), total: head?.total ?? 0 };
    },

    /** All matching calls, newest first, read in batches: calls of later batches may change in the meantime. */
    every: async function* (workspaceId: string, filters: CallFilters): AsyncGenerator<ExportedCall[]> {
      const where = callCondition(workspaceId, filters);
      let after = sql``;
      for (;;) {
        const rows = await queryRows(
          prisma,
          exportedRow,
          sql`SELECT ${HEAD_COLUMNS}, c.campaign_id, c.summary, c.created_at::text AS place FROM calls c ${AGENT_JOIN}
            WHERE ${where} ${after} ORDER BY c.created_at DESC, c.id DESC LIMIT ${EXPORTED_AT_ONCE}`,
        );
        yield rows;
        const last = rows.at(-1);
        if (!last || rows.length < EXPORTED_AT_ONCE) return;
        after = sql`AND (c.created_at, c.id) < (${last.place}::timestamptz, ${last.id}::uuid)`;
      }
    },

    legacyPage: (
      workspaceId: string,
      { limit, offset, ...filters }: LegacyPage & { visibleAgentIds: readonly string[] | undefined },
    ): Promise<LegacyRecord[]> =>
      queryRows(
        prisma,
        legacyRecord,
        sql`WITH page AS (
            SELECT c.id FROM calls c WHERE ${legacyCondition(workspaceId, filters)}
            ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}
          )
          SELECT ${LEGACY_COLUMNS} FROM page JOIN calls c USING (id) ${NUMBER_JOIN} ORDER BY c.created_at DESC, c.id DESC`,
      ),

    /** What was said, in order, without tools: turns after the turn `after`, at most `limit`. */
    spokenTurns: (
      workspaceId: string,
      id: string,
      { after, limit }: { after: number; limit: number | null } = { after: -1, limit: null },
    ): Promise<SpokenTurnRow[]> =>
      queryRows(
        prisma,
        turnRow,
        sql`SELECT t.seq, t.role, t.content, t.at FROM turns t JOIN calls c ON c.id = t.call_id
          WHERE c.workspace_id = ${workspaceId}::uuid AND c.id = ${id}::uuid AND t.role <> 'tool' AND t.seq > ${after}::int
          ORDER BY t.seq LIMIT ${limit}::int`,
      ),

    /** The assistant of a call, which decides whether a limited key may see the call [trust.9]. */
    agentOf: async (workspaceId: string, id: string): Promise<string | undefined> => {
      const call = await prisma.call.findUnique({ where: { id, workspaceId }, select: { agentId: true } });
      return call?.agentId;
    },
  };
}

/** One statement, so that the total fits the page; only ids are sorted and skipped. */
const pageStatement = (where: Statement, { limit, offset }: Slice): Statement => sql`
  WITH matches AS NOT MATERIALIZED (SELECT c.id, c.created_at FROM calls c WHERE ${where}),
  page AS MATERIALIZED (
    SELECT id, row_number() OVER (ORDER BY created_at DESC, id DESC) AS n
    FROM (SELECT id, created_at FROM matches ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) p
  )
  SELECT t.total, ${HEAD_COLUMNS},
    CASE WHEN page.n = 1 THEN ARRAY (SELECT id::text FROM page WHERE n > ${FIRST} ORDER BY n) END AS rest
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN (page JOIN calls c USING (id)) ON page.n <= ${FIRST} ${AGENT_JOIN}
  ORDER BY c.created_at DESC, c.id DESC`;
