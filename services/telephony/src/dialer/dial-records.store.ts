import type { Sql } from '@parley/kit/db';
import { CALL_COLUMNS, type CallRow, toCall } from '../sessions/call-rows.store.ts';
import type { DialRecord, DialRecords } from './dial-states.ts';

const REQUESTS = 'SELECT call_id::text, state, reason FROM dial_requests WHERE call_id = ANY ($1::uuid[])';
const CALLS = `SELECT ${CALL_COLUMNS} FROM calls WHERE id = ANY ($1::uuid[])`;
const CAUSES = `
  SELECT call_id::text, detail ->> 'cause' AS cause FROM call_events
  WHERE call_id = ANY ($1::uuid[]) AND type = 'ended'`;

export function createDialRecords(sql: Sql): DialRecords {
  return {
    requests: async (callIds) => {
      const rows = await sql.$queryRawUnsafe<(DialRecord & { call_id: string })[]>(REQUESTS, [...callIds]);
      return new Map(rows.map(({ call_id, ...request }) => [call_id, request]));
    },
    calls: async (callIds) => {
      const rows = await sql.$queryRawUnsafe<CallRow[]>(CALLS, [...callIds]);
      return new Map(rows.map((row) => [row.id, toCall(row)]));
    },
    causes: async (callIds) => {
      const rows = await sql.$queryRawUnsafe<{ call_id: string; cause: string }[]>(CAUSES, [...callIds]);
      return new Map(rows.map(({ call_id, cause }) => [call_id, cause]));
    },
  };
}
