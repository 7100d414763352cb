import { queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { z } from 'zod';
import type { CarrierChoice } from '../carriers/registry.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import { requestColumns, requestRow, toDialRequest } from './dial-requests.store.ts';
import type { GateFacts } from './gates.ts';
import type { PlannedDial } from './plan-slots.ts';
import { writeDials } from './write-dials.store.ts';

/** A number that requests wait for; `pace` null: it was deleted. */
export type AwaitedNumber = { phoneNumberId: string; pace: NumberPace | null };
/** How many requests of a number to read, oldest first. */
export type WantedRequests = { phoneNumberId: string; maxSingleCalls: number; maxOfCampaigns: number };

export type DialStore = ReturnType<typeof createDialStore>;

const lockedRow = requestRow.pick({ call_id: true, dynamic_variables: true });
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
      wanted: readonly WantedRequests[],
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

    /**
     * Locks those requests that still wait and that no other transaction decides on. Their variables are read again: an erasure may have
     * changed them since.
     */
    lockRequests: async (tx: SqlClient, requests: readonly DialRequest[]): Promise<DialRequest[]> => {
      const rows = await queryRows(
        tx,
        lockedRow,
        sql`SELECT call_id::text, dynamic_variables FROM dial_requests
        WHERE call_id = ANY (${requests.map(({ callId }) => callId)}::uuid[]) AND state = 'waiting'
        FOR UPDATE SKIP LOCKED`,
      );
      const locked = new Map(rows.map((row) => [row.call_id, row.dynamic_variables]));
      return requests.flatMap((request) => {
        const dynamicVariables = locked.get(request.callId);
        return dynamicVariables ? [{ ...request, dynamicVariables }] : [];
      });
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

    writeDials: (tx: SqlClient, workerId: string, dials: readonly PlannedDial[], now: Date) =>
      writeDials(tx, { workerId, carriers, now }, dials),
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
