import type { Sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { Call } from '../domain/calls/call.ts';
import type { Owner } from '../domain/calls/ports.ts';
import { NO_AGENT } from '../domain/inbound/nobody.ts';
import type { Answerer, InboundCalls } from '../domain/inbound/ports.ts';
import type { Happening } from '../domain/timeline/happening.ts';
import { happeningRows, happeningsFrom } from './call-events.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';
import { saveCalls } from './call-writes.ts';
import { countLiveCalls, lockWorkspaceCalls } from './live-calls.ts';
import { storableJson } from './storable.ts';

const INSERT = `
  WITH added AS (
    INSERT INTO calls (id, workspace_id, agent_id, call_type, phone_number_id, from_number, to_number, status, phase,
      worker_id, fence, call_sid, rate_cents, started_at, created_at, updated_at)
    VALUES ($1::uuid, $2::uuid, $3::uuid, 'inbound', $4::uuid, $5, $6, 'ringing', 'ringing', $7::uuid, 1, $8, $9,
      $10::timestamptz, $10::timestamptz, $11::timestamptz)
    ON CONFLICT (id) DO NOTHING RETURNING *
  ), told AS (
    INSERT INTO call_events (call_id, at, type) SELECT id, started_at, type FROM added, unnest(ARRAY['queued', 'ringing']) AS type
  )
  SELECT ${CALL_COLUMNS} FROM added`;

/** Of a call that is still this worker's and over for nobody. */
const OWN = `id = $1::uuid AND worker_id = $2::uuid AND fence = $3 AND status <> 'completed'`;

const told = (source: string): string =>
  `INSERT INTO call_events (call_id, at, type, detail)
   SELECT call_id, at, type, detail FROM ${happeningsFrom('$4')} WHERE call_id IN (SELECT id FROM ${source}) ORDER BY n`;

const SETTLE = `
  WITH own AS (
    UPDATE calls SET agent_id = $5::uuid, agent_version = $6, agent_webhook_url = $7, dynamic_variables = $8::jsonb,
      unresolved_placeholders = $9::text[], updated_at = $10::timestamptz WHERE ${OWN} RETURNING id
  ), told AS (${told('own')})
  SELECT id FROM own`;

const NOTE = `WITH own AS (SELECT id FROM calls WHERE ${OWN}), told AS (${told('own')}) SELECT id FROM own`;

/** Calls that came in, before anybody has answered them. */
export function createInboundCalls({ sql, clock }: { sql: Sql; clock: Clock }): InboundCalls {
  const own = (owner: Owner, call: Call, happenings: readonly Happening[]): unknown[] => [
    call.id,
    owner.workerId,
    call.fence,
    happeningRows(happenings.map((happening) => ({ callId: call.id, ...happening }))),
  ];
  const isOne = async (statement: string, ...values: unknown[]): Promise<boolean> =>
    (await sql.$queryRawUnsafe<unknown[]>(statement, ...values)).length > 0;

  return {
    countExactly: async (tx, workspaceId) => {
      await lockWorkspaceCalls(tx, workspaceId);
      return (await countLiveCalls(tx, [workspaceId])).get(workspaceId) ?? 0;
    },
    insert: async (tx, { ring, number, rateCents, now }, workerId) => {
      const [row] = await tx.$queryRawUnsafe<CallRow[]>(
        INSERT,
        ring.reference,
        number.workspaceId,
        number.inboundAgentId ?? NO_AGENT,
        number.id,
        ring.from,
        ring.to,
        workerId,
        ring.legId,
        rateCents,
        ring.at.toISOString(),
        now.toISOString(),
      );
      return row && toCall(row);
    },
    end: async (tx, call, change, now) => {
      await saveCalls(tx, [{ ...change, call, workerId: null }], now);
    },
    isKnown: async (callId) => isOne('SELECT 1 FROM calls WHERE id = $1::uuid', callId),
    isOver: async (callId) => {
      const rows = await sql.$queryRawUnsafe<{ over: boolean }[]>(
        `SELECT status = 'completed' AS over FROM calls WHERE id = $1::uuid`,
        callId,
      );
      return rows[0]?.over ?? false;
    },
    settle: (owner, call, answerer, happenings) =>
      isOne(SETTLE, ...own(owner, call, happenings), ...settledValues(answerer), clock.now().toISOString()),
    note: (owner, call, happenings) => isOne(NOTE, ...own(owner, call, happenings)),
  };
}

function settledValues(answerer: Answerer): unknown[] {
  return [
    answerer.agentId,
    answerer.agentVersion,
    answerer.agentWebhookUrl,
    storableJson(answerer.dynamicVariables),
    [...answerer.unresolvedPlaceholders],
  ];
}
