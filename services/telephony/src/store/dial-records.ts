import type { Sql } from '@parley/kit/db';
import type { DialRecord, DialRecords } from '../domain/placing/dial-states.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';

const REQUESTS = 'SELECT call_id::text, state, reason FROM dial_requests WHERE call_id = ANY ($1::uuid[])';
const CALLS = `SELECT ${CALL_COLUMNS} FROM calls WHERE id = ANY ($1::uuid[])`;
const UNWANTED = `
  SELECT DISTINCT call_id::text FROM call_events
  WHERE call_id = ANY ($1::uuid[]) AND type = 'ended' AND detail ->> 'cause' = 'do_not_call'`;

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
    unwanted: async (callIds) => {
      const rows = await sql.$queryRawUnsafe<{ call_id: string }[]>(UNWANTED, [...callIds]);
      return new Set(rows.map(({ call_id }) => call_id));
    },
  };
}
