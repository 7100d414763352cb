import type { Sql } from '@parley/kit/db';
import type { CallHead, CallRecord } from '../domain/call-history/call-record.ts';
import type { LegacyRecord } from '../domain/call-history/legacy-call.ts';
import type { SpokenTurn } from '../domain/call-history/plain-transcript.ts';
import type { CallHistory, PlacedTurn } from '../domain/call-history/ports.ts';
import { AGENT_JOIN, HEAD_COLUMNS, LEGACY_COLUMNS, NUMBER_JOIN, RECORD_COLUMNS } from './call-columns.ts';
import { callCondition, legacyCondition } from './call-filters.ts';

const FIND = `SELECT ${RECORD_COLUMNS} FROM calls c ${AGENT_JOIN} ${NUMBER_JOIN}
  WHERE c.workspace_id = $1::uuid AND c.id = $2::uuid`;

const SPOKEN = `SELECT t.role, t.content, t.at FROM turns t JOIN calls c ON c.id = t.call_id
  WHERE c.workspace_id = $1::uuid AND c.id = $2::uuid AND t.role <> 'tool' ORDER BY t.seq`;

const SPOKEN_AFTER = `SELECT t.seq, t.role, t.content, t.at FROM turns t JOIN calls c ON c.id = t.call_id
  WHERE c.workspace_id = $1::uuid AND c.id = $2::uuid AND t.role <> 'tool' AND t.seq > $3 ORDER BY t.seq LIMIT $4`;

/** As in a page of version 2, without a total. */
const legacyPageSql = (where: string, limit: string, offset: string): string => `
  WITH page AS (
    SELECT c.id FROM calls c WHERE ${where} ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}
  )
  SELECT ${LEGACY_COLUMNS} FROM page JOIN calls c USING (id) ${NUMBER_JOIN} ORDER BY c.created_at DESC, c.id DESC`;

/** One statement, so that items and total tell of one moment; ids alone are sorted and skipped. */
const pageSql = (where: string, limit: string, offset: string): string => `
  WITH matches AS NOT MATERIALIZED (SELECT c.id, c.created_at FROM calls c WHERE ${where}),
  page AS (SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset})
  SELECT t.total, ${HEAD_COLUMNS} FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN (page JOIN calls c USING (id)) ON true ${AGENT_JOIN}
  ORDER BY c.created_at DESC, c.id DESC`;

export function createCallHistory(sql: Sql): CallHistory {
  return {
    find: async (workspaceId, id) => {
      const [row] = await sql.$queryRawUnsafe<CallRecord[]>(FIND, workspaceId, id);
      return row;
    },
    page: async (workspaceId, filters, { limit, offset }) => {
      const { where, values } = callCondition(workspaceId, filters);
      const statement = pageSql(where, `$${values.length + 1}`, `$${values.length + 2}`);
      const rows = await sql.$queryRawUnsafe<(CallHead & { total: number })[]>(
        statement,
        ...values,
        limit,
        offset,
      );
      return { items: rows.filter(({ id }) => id !== null).map(withoutTotal), total: rows[0]?.total ?? 0 };
    },
    legacyPage: (workspaceId, { limit, offset, ...filters }) => {
      const { where, values } = legacyCondition(workspaceId, filters);
      const statement = legacyPageSql(where, `$${values.length + 1}`, `$${values.length + 2}`);
      return sql.$queryRawUnsafe<LegacyRecord[]>(statement, ...values, limit, offset);
    },
    spokenAfter: (workspaceId, id, seq, most) =>
      sql.$queryRawUnsafe<PlacedTurn[]>(SPOKEN_AFTER, workspaceId, id, seq, most),
    spokenTurns: async (workspaceId, id) => {
      const rows = await sql.$queryRawUnsafe<(Omit<SpokenTurn, 'timestamp'> & { at: Date })[]>(
        SPOKEN,
        workspaceId,
        id,
      );
      return rows.map(({ role, content, at }) => ({ role, content, timestamp: at.toISOString() }));
    },
  };
}

function withoutTotal({ total, ...call }: CallHead & { total: number }): CallHead {
  return call;
}
