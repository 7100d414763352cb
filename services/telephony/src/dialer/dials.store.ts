import { queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import { z } from 'zod';
import type { CarrierChoice } from '../carriers/registry.ts';
import type { Call } from '../sessions/call.ts';
import { type CallTimelineEvent, recordCallEvents } from '../sessions/call-events.store.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import { requestColumns, requestRow, toDialRequest } from './dial-requests.store.ts';
import type { GateFacts } from './gates.ts';
import type { PlannedDial } from './plan-slots.ts';

/** A number that requests wait for; `pace` null: it was deleted. */
export type AwaitedNumber = { phoneNumberId: string; pace: NumberPace | null };
/** How many requests of a number to read, oldest first. */
type Wanted = { phoneNumberId: string; maxSingleCalls: number; maxOfCampaigns: number };

type WrittenDial = Pick<PlannedDial, 'request' | 'slot' | 'intervalMs' | 'assistant'> & { call: Call };

export type DialStore = ReturnType<typeof createDialStore>;

const idRow = z.object({ id: z.string() });
export const paceRow = z.object({
  phone_number_id: z.string(),
  workspace_id: z.string(),
  phone_number: z.string(),
  is_active: z.boolean(),
  max_cps: z.number(),
  next_slot_ms: z.number(),
  probe_at: z.date().nullable(),
});
const awaitedRow = z.union([paceRow, z.object({ phone_number_id: z.string(), workspace_id: z.null() })]);
const probeRow = z.object({ id: z.string(), probe_at: z.date().nullable() });
const gateRow = z.object({
  call_id: z.string(),
  campaign_id: z.string().nullable(),
  agent_id: z.string(),
  lowest: z.number().nullable(),
  is_on_list: z.boolean(),
  deleted: z.boolean(),
});

/** Columns of `phone_numbers n`, `number_clocks k` and `number_circuits c`. */
export const paceColumns = sql`n.workspace_id::text, n.phone_number, n.is_active, n.max_cps,
  extract(epoch FROM k.next_dial_at)::float8 * 1000 AS next_slot_ms, c.probe_at`;

/** `carriers`: the carrier of each provider's numbers, which is stored with their calls. */
export function createDialStore(client: SqlClient, carriers: CarrierChoice) {
  return {
    awaitedNumbers: async (): Promise<AwaitedNumber[]> => {
      const rows = await queryRows(
        client,
        awaitedRow,
        sql`SELECT w.phone_number_id::text, ${paceColumns}
        FROM (SELECT DISTINCT phone_number_id FROM dial_requests WHERE state = 'waiting') w
        LEFT JOIN (phone_numbers n JOIN number_clocks k ON k.phone_number_id = n.id) ON n.id = w.phone_number_id
        LEFT JOIN number_circuits c ON c.phone_number_id = n.id`,
      );
      return rows.map((row) => ({
        phoneNumberId: row.phone_number_id,
        pace: row.workspace_id === null ? null : toPace(row),
      }));
    },

    /**
     * The oldest requests of the numbers, without those for `withoutAgents`. Campaigns may have to wait for capacity, so single
     * calls are read separately.
     */
    oldestRequests: async (
      wanted: readonly Wanted[],
      withoutAgents: readonly string[],
    ): Promise<DialRequest[]> => {
      const oldest = (isWanted: Statement, limit: Statement): Statement => sql`(
        SELECT ${requestColumns} FROM dial_requests
        WHERE phone_number_id = wanted."phoneNumberId" AND state = 'waiting' AND ${isWanted}
          AND agent_id <> ALL (${[...withoutAgents]}::uuid[])
        ORDER BY requested_at, call_id LIMIT ${limit})`;
      const rows = await queryRows(
        client,
        requestRow,
        sql`SELECT r.* FROM json_to_recordset(${JSON.stringify(wanted)}::json)
          AS wanted ("phoneNumberId" uuid, "maxSingleCalls" int, "maxOfCampaigns" int)
        CROSS JOIN LATERAL (
          ${oldest(sql`campaign_id IS NULL`, sql`wanted."maxSingleCalls"`)}
          UNION ALL ${oldest(sql`campaign_id IS NOT NULL`, sql`wanted."maxOfCampaigns"`)}
        ) r ORDER BY r.requested_at, r.call_id`,
      );
      return rows.map(toDialRequest);
    },

    /** Locks the clocks that no other worker has locked. */
    lockClocks: async (tx: SqlClient, phoneNumberIds: readonly string[]): Promise<NumberPace[]> => {
      const ids = [...phoneNumberIds];
      const rows = await queryRows(
        tx,
        paceRow,
        sql`SELECT k.phone_number_id::text, ${paceColumns}
        FROM number_clocks k JOIN phone_numbers n ON n.id = k.phone_number_id
        LEFT JOIN number_circuits c ON c.phone_number_id = n.id
        WHERE k.phone_number_id = ANY (${ids}::uuid[]) FOR UPDATE OF k SKIP LOCKED`,
      );
      if (rows.every(({ probe_at }) => probe_at === null)) return rows.map(toPace);
      // The circuit beside a locked clock is as old as the statement's snapshot: the previous holder of the lock may have
      // sent the probe since.
      const fresh = await queryRows(
        tx,
        probeRow,
        sql`SELECT phone_number_id::text AS id, probe_at FROM number_circuits WHERE phone_number_id = ANY (${ids}::uuid[])`,
      );
      const probes = new Map(fresh.map(({ id, probe_at }) => [id, probe_at]));
      return rows.map((row) => toPace({ ...row, probe_at: probes.get(row.phone_number_id) ?? null }));
    },

    /** Locks those requests that still wait and that no other transaction decides on. */
    lockRequests: async (tx: SqlClient, requests: readonly DialRequest[]): Promise<DialRequest[]> => {
      const rows = await queryRows(
        tx,
        idRow,
        sql`SELECT call_id::text AS id FROM dial_requests
        WHERE call_id = ANY (${requests.map(({ callId }) => callId)}::uuid[]) AND state = 'waiting'
        FOR UPDATE SKIP LOCKED`,
      );
      const locked = new Set(rows.map(({ id }) => id));
      return requests.filter(({ callId }) => locked.has(callId));
    },

    /**
     * Read after the requests are locked: a withdrawal raises the generation of its campaign first, and then takes the
     * requests.
     */
    gateFacts: async (
      tx: SqlClient,
      requests: readonly DialRequest[],
    ): Promise<Pick<GateFacts, 'generations' | 'onDoNotCallList' | 'deletedAgents'>> => {
      const rows = await queryRows(
        tx,
        gateRow,
        sql`SELECT r.call_id::text, r.campaign_id::text, r.agent_id::text, g.min_generation AS lowest,
          d.phone_number IS NOT NULL AS is_on_list, coalesce(a.deleted, false) AS deleted
        FROM dial_requests r
        LEFT JOIN campaign_gates g ON g.campaign_id = r.campaign_id
        LEFT JOIN do_not_call d ON d.workspace_id = r.workspace_id AND d.phone_number = r.to_number
        LEFT JOIN agents a ON a.agent_id = r.agent_id
        WHERE r.call_id = ANY (${requests.map(({ callId }) => callId)}::uuid[])`,
      );
      return {
        generations: new Map(
          rows.flatMap((row) =>
            row.campaign_id && row.lowest !== null ? [[row.campaign_id, row.lowest]] : [],
          ),
        ),
        onDoNotCallList: new Set(rows.flatMap(({ call_id, is_on_list }) => (is_on_list ? [call_id] : []))),
        deletedAgents: new Set(rows.flatMap(({ agent_id, deleted }) => (deleted ? [agent_id] : []))),
      };
    },

    /** `nextSlots` in milliseconds, by number. The previous version reads the other columns: it may take every slot from here. */
    advanceClocks: async (tx: SqlClient, nextSlots: ReadonlyMap<string, number>): Promise<void> => {
      if (nextSlots.size === 0) return;
      await tx.$executeRaw(sql`UPDATE number_clocks k SET next_dial_at = to_timestamp(given.ms / 1000),
          holder_id = NULL, others_dial_at = NULL
        FROM unnest(${[...nextSlots.keys()]}::uuid[], ${[...nextSlots.values()]}::float8[]) AS given (id, ms)
        WHERE k.phone_number_id = given.id`);
    },

    /**
     * Writes the calls as `dialing`, owned by the worker, and publishes `call.dialing`. A single call exists already. A
     * call starts at its slot. Each reservation has a fence of its own: a session of an earlier one, which was undone and
     * does not know it yet, must not change the call.
     */
    writeCalls: async (
      tx: SqlClient,
      workerId: string,
      dials: readonly PlannedDial[],
      now: Date,
    ): Promise<WrittenDial[]> => {
      if (dials.length === 0) return [];
      const ids = dials.map(({ request }) => request.callId);
      await tx.$executeRaw(
        sql`UPDATE dial_requests SET state = 'dialled', reservations = reservations + 1 WHERE call_id = ANY (${ids}::uuid[])`,
      );
      const at = now.toISOString();
      const rows = await queryRows(
        tx,
        callRow,
        sql`INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
          from_number, to_number, phase, worker_id, fence, campaign_id, contact_id, dynamic_variables,
          unresolved_placeholders, rate_cents, started_at, created_at, updated_at, traceparent, carrier)
        SELECT id, workspace_id, agent_id, agent_version, agent_webhook_url, 'outbound', phone_number_id,
          from_number, to_number, 'dialing', ${workerId}::uuid,
          (SELECT reservations FROM dial_requests r WHERE r.call_id = given.id), campaign_id, contact_id, dynamic_variables,
          unresolved, rate_cents, slot, ${at}::timestamptz, ${at}::timestamptz,
          (SELECT traceparent FROM dial_requests r WHERE r.call_id = given.id),
          (SELECT ${JSON.stringify(carriers)}::json ->> n.provider FROM phone_numbers n WHERE n.id = given.phone_number_id)
        FROM json_to_recordset(${JSON.stringify(dials.map(toRow))}::json) AS given (id uuid, workspace_id uuid,
          agent_id uuid, agent_version int, agent_webhook_url text, phone_number_id uuid, from_number text,
          to_number text, campaign_id uuid, contact_id uuid, dynamic_variables jsonb, unresolved text[], rate_cents int,
          slot timestamptz)
        ON CONFLICT (id) DO UPDATE SET phase = 'dialing', worker_id = EXCLUDED.worker_id, fence = calls.fence + 1,
          agent_version = EXCLUDED.agent_version, agent_webhook_url = EXCLUDED.agent_webhook_url,
          unresolved_placeholders = EXCLUDED.unresolved_placeholders, started_at = EXCLUDED.started_at,
          updated_at = EXCLUDED.updated_at, carrier = EXCLUDED.carrier
        WHERE calls.phase = 'queued'
        RETURNING ${callColumns}`,
      );
      const calls = new Map(rows.map((row) => [row.id, toCall(row)]));
      const written = dials.flatMap(({ request, slot, intervalMs, assistant }) => {
        const call = calls.get(request.callId);
        return call ? [{ request, slot, intervalMs, assistant, call }] : [];
      });
      await recordCallEvents(tx, written.flatMap(toTimelineEvents));
      await enqueue(
        tx,
        written.flatMap(({ call }) => toMessages(call, now)),
      );
      return written;
    },
  };
}

export function toPace(row: z.infer<typeof paceRow>): NumberPace {
  return {
    phoneNumberId: row.phone_number_id,
    workspaceId: row.workspace_id,
    phoneNumber: row.phone_number,
    isActive: row.is_active,
    maxCps: row.max_cps,
    nextSlotMs: row.next_slot_ms,
    probeAt: row.probe_at,
  };
}

function toMessages({ id, workspaceId, campaign, traceparent }: Call, occurredAt: Date) {
  if (!campaign) return [];
  const { campaignId: campaign_id, contactId: contact_id } = campaign;
  const data = { call_id: id, campaign: { campaign_id, contact_id } };
  return [{ type: 'call.dialing' as const, workspaceId, occurredAt, traceparent: traceparent ?? null, data }];
}

/** A single call was recorded as queued when it was placed. */
function toTimelineEvents({
  request: { callId, campaign, requestedAt },
  slot,
}: WrittenDial): CallTimelineEvent[] {
  const queued: CallTimelineEvent[] = campaign ? [{ callId, type: 'queued', at: requestedAt }] : [];
  return [...queued, { callId, type: 'dialing', at: slot }];
}

function toRow({ request, from, slot, snapshot, assistant, rateCents }: PlannedDial) {
  return {
    id: request.callId,
    workspace_id: request.workspaceId,
    agent_id: request.agentId,
    agent_version: snapshot.version,
    agent_webhook_url: snapshot.webhook_url,
    phone_number_id: request.phoneNumberId,
    from_number: from,
    to_number: request.toNumber,
    campaign_id: request.campaign?.campaignId ?? null,
    contact_id: request.campaign?.contactId ?? null,
    dynamic_variables: request.dynamicVariables,
    unresolved: assistant.unresolved,
    rate_cents: rateCents,
    slot: slot.toISOString(),
  };
}
