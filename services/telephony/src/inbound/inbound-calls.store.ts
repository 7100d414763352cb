import { queryRow, type SqlClient, type Statement, sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import { countExactly } from '../limits/live-calls.store.ts';
import { type Call, NO_AGENT_ID } from '../sessions/call.ts';
import { timelineRows } from '../sessions/call-events.store.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import { saveCalls } from '../sessions/call-writes.store.ts';
import type { Owner } from '../sessions/ports.ts';
import { storableJson } from '../sessions/storable.ts';
import type { InboundCalls } from './ports.ts';

const anyRow = z.object({});

/** Inbound and web calls before their answer. */
export function createInboundCalls({ sql: client, clock }: { sql: SqlClient; clock: Clock }): InboundCalls {
  const isFound = async (statement: Statement): Promise<boolean> =>
    (await queryRow(client, anyRow, statement)) !== undefined;
  /** A live call that the worker holds. */
  const isOwn = ({ workerId }: Owner, { id, fence }: Call): Statement =>
    sql`id = ${id}::uuid AND worker_id = ${workerId}::uuid AND fence = ${fence} AND status <> 'completed'`;
  const insertTimeline = (call: Call, timeline: readonly TimelineEvent[]): Statement =>
    sql`INSERT INTO call_events (call_id, at, type, detail)
      SELECT call_id, at, type, detail FROM ${timelineRows(timeline.map((event) => ({ callId: call.id, ...event })))}
      WHERE call_id IN (SELECT id FROM own) ORDER BY n`;

  return {
    countExactly,
    insert: async (tx, { ring, carrier, number, rateCents, now }, workerId) => {
      const row = await queryRow(
        tx,
        callRow,
        sql`WITH added AS (
          INSERT INTO calls (id, workspace_id, agent_id, call_type, phone_number_id, from_number, to_number, status, phase,
            worker_id, fence, call_sid, rate_cents, started_at, created_at, updated_at, carrier)
          VALUES (${ring.reference}::uuid, ${number.workspaceId}::uuid, ${number.inboundAgentId ?? NO_AGENT_ID}::uuid,
            'inbound', ${number.id}::uuid, ${ring.from}, ${ring.to}, 'ringing', 'selecting_assistant', ${workerId}::uuid, 1,
            ${ring.legId}, ${rateCents}, ${ring.at.toISOString()}::timestamptz, ${ring.at.toISOString()}::timestamptz,
            ${now.toISOString()}::timestamptz, ${carrier})
          ON CONFLICT (id) DO NOTHING RETURNING *
        ), noted AS (
          INSERT INTO call_events (call_id, at, type)
          SELECT id, started_at, type FROM added, unnest(ARRAY['queued', 'ringing']) AS type
        )
        SELECT ${callColumns} FROM added`,
      );
      return row && toCall(row);
    },
    end: async (tx, call, change, now) => {
      await saveCalls(tx, [{ ...change, call, workerId: null }], now);
    },
    isKnown: (callId) => isFound(sql`SELECT 1 FROM calls WHERE id = ${callId}::uuid`),
    isOver: (callId) => isFound(sql`SELECT 1 FROM calls WHERE id = ${callId}::uuid AND status = 'completed'`),
    selectAssistant: (owner, call, selection, timeline) =>
      isFound(sql`WITH own AS (
          UPDATE calls SET phase = 'ringing', agent_id = ${selection.agentId}::uuid,
            agent_version = ${selection.agentVersion}, agent_webhook_url = ${selection.agentWebhookUrl},
            -- Those of the row: an erasure may have changed them since the call was read.
            dynamic_variables = dynamic_variables || ${storableJson(selection.addedVariables)}::jsonb,
            unresolved_placeholders = ${[...selection.unresolvedPlaceholders]}::text[],
            updated_at = ${clock.now().toISOString()}::timestamptz
          WHERE ${isOwn(owner, call)} RETURNING id
        ), noted AS (${insertTimeline(call, timeline)})
        SELECT id FROM own`),
    note: (owner, call, timeline) =>
      isFound(sql`WITH own AS (SELECT id FROM calls WHERE ${isOwn(owner, call)}),
        noted AS (${insertTimeline(call, timeline)})
        SELECT id FROM own`),
  };
}
