import type { Sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import type { WebCalls } from '../domain/web-calls/ports.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';
import { saveCalls } from './call-writes.ts';
import { countLiveCalls, lockWorkspaceCalls } from './live-calls.ts';

const INSERT = `
  WITH told AS (INSERT INTO call_events (call_id, at, type) VALUES ($1::uuid, $9::timestamptz, 'queued'))
  INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, dynamic_variables, metadata,
    rate_cents, created_at, updated_at, traceparent)
  VALUES ($1::uuid, $2::uuid, $3::uuid, $4, $5, 'web', $6::jsonb, $7::jsonb, $8, $9::timestamptz, $9::timestamptz, $10)`;

const LOCK = `SELECT ${CALL_COLUMNS} FROM calls
  WHERE workspace_id = $1::uuid AND id = $2::uuid AND call_type = 'web' FOR UPDATE`;

const WAITING = `call_type = 'web' AND phase = 'queued'`;

const LOCK_WAITING = `SELECT ${CALL_COLUMNS} FROM calls
  WHERE ${WAITING} AND created_at <= $1::timestamptz ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED`;

const JOINED = 'SELECT call_id::text AS id FROM web_lines WHERE call_id = ANY ($1::uuid[])';

/** Version 0: nobody has decided yet who answers, as of a call that came in. */
const TAKE = `
  WITH taken AS (
    UPDATE calls SET worker_id = $1::uuid, fence = fence + 1, agent_version = 0, phase = 'ringing', status = 'ringing',
      started_at = $2::timestamptz, updated_at = $2::timestamptz
    WHERE id IN (
      SELECT c.id FROM calls c JOIN web_lines l ON l.call_id = c.id WHERE c.${WAITING.replace('phase', 'c.phase')}
      ORDER BY c.created_at LIMIT $3 FOR UPDATE OF c SKIP LOCKED
    )
    RETURNING *
  ), told AS (INSERT INTO call_events (call_id, at, type) SELECT id, $2::timestamptz, 'ringing' FROM taken)
  SELECT ${CALL_COLUMNS} FROM taken`;

export function createWebCalls(sql: Sql): WebCalls {
  return {
    countExactly: async (tx, workspaceId) => {
      await lockWorkspaceCalls(tx, workspaceId);
      return (await countLiveCalls(tx, [workspaceId])).get(workspaceId) ?? 0;
    },
    insert: async (tx, { id, workspaceId, agent, ...call }) => {
      await tx.$executeRawUnsafe(
        INSERT,
        id,
        workspaceId,
        agent.agentId,
        agent.version,
        agent.webhookUrl,
        JSON.stringify(call.dynamicVariables),
        JSON.stringify(call.metadata),
        call.rateCents,
        call.createdAt.toISOString(),
        traceHeaders().traceparent ?? null,
      );
    },
    lock: async (tx, workspaceId, callId) => {
      const [row] = await tx.$queryRawUnsafe<CallRow[]>(LOCK, workspaceId, callId);
      return row && toCall(row);
    },
    lockWaiting: async (tx, createdBefore, most) => {
      const rows = await tx.$queryRawUnsafe<CallRow[]>(LOCK_WAITING, createdBefore.toISOString(), most);
      return rows.map(toCall);
    },
    joined: async (tx, callIds) => {
      if (callIds.length === 0) return new Set();
      const rows = await tx.$queryRawUnsafe<{ id: string }[]>(JOINED, [...callIds]);
      return new Set(rows.map(({ id }) => id));
    },
    end: async (tx, calls, now) => {
      if (calls.length === 0) return;
      const changes = calls.map(({ call, change }) => ({ ...change, call, workerId: null }));
      await saveCalls(tx, changes, now);
    },
    takeJoined: async (workerId, now, most) => {
      const rows = await sql.$queryRawUnsafe<CallRow[]>(TAKE, workerId, now.toISOString(), most);
      return rows.map(toCall);
    },
  };
}
