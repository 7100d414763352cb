import { dialRefusal } from '@parley/contracts';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import type { DialRecords } from './dial-states.ts';

const requestRow = z.object({
  id: z.string(),
  state: z.enum(['waiting', 'dialled', 'withdrawn', 'refused']),
  reason: dialRefusal.nullable(),
});
const causeRow = z.object({ id: z.string(), cause: z.string().nullable() });

export function createDialRecords(client: SqlClient): DialRecords {
  return {
    requests: async (callIds) => {
      const rows = await queryRows(
        client,
        requestRow,
        sql`SELECT call_id::text AS id, state, reason FROM dial_requests WHERE call_id = ANY (${[...callIds]}::uuid[])`,
      );
      return new Map(rows.map(({ id, ...request }) => [id, request]));
    },
    calls: async (callIds) => {
      const rows = await queryRows(
        client,
        callRow,
        sql`SELECT ${callColumns} FROM calls WHERE id = ANY (${[...callIds]}::uuid[])`,
      );
      return new Map(rows.map((row) => [row.id, toCall(row)]));
    },
    causes: async (callIds) => {
      const rows = await queryRows(
        client,
        causeRow,
        sql`SELECT call_id::text AS id, detail ->> 'cause' AS cause FROM call_events
          WHERE call_id = ANY (${[...callIds]}::uuid[]) AND type = 'ended'`,
      );
      return new Map(rows.flatMap(({ id, cause }) => (cause === null ? [] : [[id, cause]])));
    },
  };
}
