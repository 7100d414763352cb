import { queryRow, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import { z } from 'zod';
import { WEB } from '../carriers/web/web-carrier.ts';
import { lockWorkspaceCalls } from '../limits/live-calls.store.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import { saveCalls } from '../sessions/call-writes.store.ts';
import type { WebCalls, WebMedia } from './ports.ts';

const anyRow = z.object({ any: z.boolean() });
const idRow = z.object({ id: z.string() });

const countsRow = z.object({ live: z.number(), ofPublicKeys: z.number(), ofKey: z.number() });
const joinedRow = callRow.extend({ media: z.enum(['text', 'audio']) });
const untakenRow = callRow.extend({ leftAt: z.date().nullable(), leftCause: z.string().nullable() });

export function createWebCalls(client: SqlClient): WebCalls {
  return {
    countExactly: async (tx, workspaceId, publicKeyId) => {
      await lockWorkspaceCalls(tx, workspaceId);
      // Reads the few live calls of one workspace by their partial index.
      const counts = await queryRow(
        tx,
        countsRow,
        sql`SELECT count(*)::int AS live, count(public_key_id)::int AS "ofPublicKeys",
          (count(*) FILTER (WHERE public_key_id = ${publicKeyId}::uuid))::int AS "ofKey"
        FROM calls WHERE workspace_id = ${workspaceId}::uuid AND status <> 'completed'`,
      );
      return counts ?? { live: 0, ofPublicKeys: 0, ofKey: 0 };
    },
    insert: async (tx, { id, workspaceId, agent, ...call }) => {
      const createdAt = call.createdAt.toISOString();
      await tx.$executeRaw(sql`
        WITH noted AS (
          INSERT INTO call_events (call_id, at, type) VALUES (${id}::uuid, ${createdAt}::timestamptz, 'queued')
        )
        INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, dynamic_variables,
          metadata, rate_cents, created_at, updated_at, traceparent, public_key_id, max_duration_seconds,
          carrier)
        VALUES (${id}::uuid, ${workspaceId}::uuid, ${agent.agentId}::uuid, ${agent.version}, ${agent.webhookUrl}, 'web',
          ${JSON.stringify(call.dynamicVariables)}::jsonb, ${JSON.stringify(call.metadata)}::jsonb, ${call.rateCents},
          ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${traceHeaders().traceparent ?? null},
          ${call.byPublicKey?.keyId ?? null}::uuid, ${call.byPublicKey?.maxDurationSeconds ?? null}, ${WEB})`);
    },
    lock: async (tx, workspaceId, callId) => {
      const row = await queryRow(
        tx,
        callRow,
        sql`SELECT ${callColumns} FROM calls
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${callId}::uuid AND call_type = 'web' FOR UPDATE`,
      );
      return row && toCall(row);
    },
    isAnyWaiting: async (createdBefore) => {
      const row = await queryRow(
        client,
        anyRow,
        sql`SELECT EXISTS (SELECT FROM calls WHERE call_type = 'web' AND phase = 'queued'
          AND created_at <= ${createdBefore.toISOString()}::timestamptz) AS any`,
      );
      return row?.any ?? false;
    },
    lockWaiting: async (tx, createdBefore, max) => {
      const rows = await queryRows(
        tx,
        callRow,
        sql`SELECT ${callColumns} FROM calls
        WHERE call_type = 'web' AND phase = 'queued' AND created_at <= ${createdBefore.toISOString()}::timestamptz
        ORDER BY created_at LIMIT ${max} FOR UPDATE SKIP LOCKED`,
      );
      return rows.map(toCall);
    },
    joined: async (tx, callIds) => {
      if (callIds.length === 0) return new Set();
      const rows = await queryRows(
        tx,
        idRow,
        sql`SELECT call_id::text AS id FROM web_lines WHERE call_id = ANY (${[...callIds]}::uuid[])`,
      );
      return new Set(rows.map(({ id }) => id));
    },
    isAnyUntaken: async (joinedBefore) => {
      const row = await queryRow(
        client,
        anyRow,
        sql`SELECT EXISTS (SELECT FROM calls WHERE ${isUntaken(joinedBefore)}) AS any`,
      );
      return row?.any ?? false;
    },
    lockUntaken: async (tx, joinedBefore, max) => {
      const rows = await queryRows(
        tx,
        untakenRow,
        sql`SELECT ${callColumns},
          (SELECT ended_at FROM web_lines WHERE call_id = calls.id) AS "leftAt",
          (SELECT ended_cause FROM web_lines WHERE call_id = calls.id) AS "leftCause"
        FROM calls WHERE ${isUntaken(joinedBefore)}
        ORDER BY created_at LIMIT ${max} FOR UPDATE SKIP LOCKED`,
      );
      return rows.map(({ leftAt, leftCause, ...row }) => ({ call: toCall(row), leftAt, leftCause }));
    },
    end: async (tx, calls, now) => {
      if (calls.length === 0) return;
      const changes = calls.map(({ call, change }) => ({ ...change, call, workerId: null }));
      await saveCalls(tx, changes, now);
    },
    takeJoined: async (workerId, now, max) => {
      const at = now.toISOString();
      const next = (media: WebMedia): Statement => sql`ARRAY (
        SELECT c.id FROM calls c JOIN waiting w ON w.id = c.id WHERE c.phase = 'queued' AND w.media = ${media}
        ORDER BY w.place, w.created_at LIMIT ${max[media]} FOR UPDATE OF c SKIP LOCKED)`;
      const rows = await queryRows(
        client,
        joinedRow,
        sql`WITH carried AS MATERIALIZED (
          SELECT workspace_id, count(*) AS calls FROM calls
          WHERE worker_id = ${workerId}::uuid AND status <> 'completed' GROUP BY workspace_id
        ), waiting AS (
          SELECT c.id, c.created_at, l.media, coalesce(carried.calls, 0)
            + row_number() OVER (PARTITION BY c.workspace_id, l.media ORDER BY c.created_at) AS place
          FROM calls c JOIN web_lines l ON l.call_id = c.id LEFT JOIN carried USING (workspace_id)
          WHERE c.call_type = 'web' AND c.phase = 'queued'
        ), taken AS (
          UPDATE calls SET worker_id = ${workerId}::uuid, fence = fence + 1, phase = 'selecting_assistant',
            status = 'ringing', started_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
          WHERE id = ANY (${next('text')} || ${next('audio')})
          RETURNING *
        ), noted AS (
          INSERT INTO call_events (call_id, at, type) SELECT id, ${at}::timestamptz, 'ringing' FROM taken
        )
        SELECT ${callColumns}, (SELECT media FROM web_lines WHERE call_id = taken.id) AS media FROM taken`,
      );
      return rows.map((row) => ({ call: toCall(row), media: row.media }));
    },
  };
}

/** A joined call without a worker whose visitor has left, or who joined by audio until then. */
function isUntaken(joinedBefore: Date): Statement {
  return sql`call_type = 'web' AND phase = 'queued' AND EXISTS (SELECT FROM web_lines l WHERE l.call_id = calls.id
    AND (l.ended_at IS NOT NULL OR (l.media = 'audio' AND l.joined_at <= ${joinedBefore.toISOString()}::timestamptz)))`;
}
