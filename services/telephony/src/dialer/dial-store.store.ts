import type { Sql } from '@parley/kit/db';
import { dailySpend } from '../limits/daily-spend.store.ts';
import { countLiveCalls, lockWorkspaceCalls } from '../limits/live-calls.store.ts';
import { writeProbes } from './circuits.store.ts';
import { writeGrants } from './dial-grants.store.ts';
import { writeRefusals } from './dial-refusals.store.ts';
import { OLDEST_REQUESTS, type RequestRow, toWaitingDial } from './dial-rows.store.ts';
import { unwantedCalls } from './do-not-call/do-not-call.store.ts';
import { dialTimesOf, type PaceRow, toPace } from './pace-rows.store.ts';
import type { AwaitedNumber, DialStore } from './ports.ts';

/** Of a number that may be gone. */
type AwaitedRow = Omit<PaceRow, 'workspace_id'> & { workspace_id: string | null };

const AWAITED = `
  SELECT w.phone_number_id::text, n.workspace_id::text, n.phone_number, n.is_active, n.max_cps,
    ${dialTimesOf('$1::uuid')}, c.probe_at
  FROM (SELECT DISTINCT phone_number_id FROM dial_requests WHERE state = 'waiting') w
  LEFT JOIN (phone_numbers n JOIN number_clocks k ON k.phone_number_id = n.id) ON n.id = w.phone_number_id
  LEFT JOIN number_circuits c ON c.phone_number_id = n.id`;

const HOLD_CLOCKS = `
  SELECT k.phone_number_id::text, n.workspace_id::text, n.phone_number, n.is_active, n.max_cps,
    ${dialTimesOf('$2::uuid')}, c.probe_at
  FROM number_clocks k JOIN phone_numbers n ON n.id = k.phone_number_id
  LEFT JOIN number_circuits c ON c.phone_number_id = n.id
  WHERE k.phone_number_id = ANY ($1::uuid[]) FOR UPDATE OF k SKIP LOCKED`;

const PROBES = `SELECT phone_number_id::text AS id, probe_at FROM number_circuits WHERE phone_number_id = ANY ($1::uuid[])`;

const HOLD_REQUESTS = `
  SELECT call_id::text AS id FROM dial_requests
  WHERE call_id = ANY ($1::uuid[]) AND state = 'waiting' FOR UPDATE SKIP LOCKED`;

const ADVANCE = `
  UPDATE number_clocks k SET next_dial_at = to_timestamp(given.ms / 1000), holder_id = $4::uuid,
    others_dial_at = to_timestamp(given.others_ms / 1000)
  FROM unnest($1::text[], $2::float8[], $3::float8[]) AS given (id, ms, others_ms) WHERE k.phone_number_id = given.id::uuid`;

export function createDialStore(sql: Sql): DialStore {
  return {
    awaitedNumbers: async (workerId) => {
      const rows = await sql.$queryRawUnsafe<AwaitedRow[]>(AWAITED, workerId);
      return rows.map((row): AwaitedNumber => {
        const pace = row.workspace_id === null ? null : toPace({ ...row, workspace_id: row.workspace_id });
        return { phoneNumberId: row.phone_number_id, pace };
      });
    },

    oldestRequests: async (most, withoutAgents) => {
      const rows = await sql.$queryRawUnsafe<RequestRow[]>(
        OLDEST_REQUESTS,
        [...most.keys()],
        [...most.values()].map(({ single }) => single),
        [...withoutAgents],
        [...most.values()].map(({ ofCampaigns }) => ofCampaigns),
      );
      return rows.map(toWaitingDial);
    },

    countLive: async (tx, workspaceIds) => {
      for (const id of workspaceIds) await lockWorkspaceCalls(tx, id);
      return workspaceIds.length > 0 ? countLiveCalls(tx, workspaceIds) : new Map();
    },

    spentOn: dailySpend.spentOn,

    holdClocks: async (tx, workerId, phoneNumberIds) => {
      const rows = await tx.$queryRawUnsafe<PaceRow[]>(HOLD_CLOCKS, [...phoneNumberIds], workerId);
      if (rows.every(({ probe_at }) => probe_at === null)) return rows.map(toPace);
      // The clock that is held is as new as can be, and the circuit beside it as old as the statement: whoever held the
      // clock a moment before may have sent the probe.
      const fresh = await tx.$queryRawUnsafe<{ id: string; probe_at: Date | null }[]>(PROBES, [
        ...phoneNumberIds,
      ]);
      const probes = new Map(fresh.map(({ id, probe_at }) => [id, probe_at]));
      return rows.map((row) => toPace({ ...row, probe_at: probes.get(row.phone_number_id) ?? null }));
    },

    holdRequests: async (tx, callIds) => {
      const rows = await tx.$queryRawUnsafe<{ id: string }[]>(HOLD_REQUESTS, [...callIds]);
      return new Set(rows.map(({ id }) => id));
    },

    gates: async (tx, campaignIds) => {
      if (campaignIds.length === 0) return new Map();
      const rows = await tx.$queryRawUnsafe<{ id: string; least: number }[]>(
        `SELECT campaign_id::text AS id, min_generation AS least FROM campaign_gates WHERE campaign_id = ANY ($1::uuid[])`,
        [...campaignIds],
      );
      return new Map(rows.map(({ id, least }) => [id, least]));
    },

    unwantedCalls,

    deletedAgents: async (tx, agentIds) => {
      const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
        'SELECT agent_id::text AS id FROM agents WHERE agent_id = ANY ($1::uuid[]) AND deleted',
        [...agentIds],
      );
      return new Set(rows.map(({ id }) => id));
    },

    advanceClocks: async (tx, workerId, clocks) => {
      if (clocks.size === 0) return;
      const times = [...clocks.values()];
      const [next, others] = [times.map(({ nextMs }) => nextMs), times.map(({ othersMs }) => othersMs)];
      await tx.$executeRawUnsafe(ADVANCE, [...clocks.keys()], next, others, workerId);
    },

    writeProbes,
    writeGrants,
    writeRefusals,
  };
}
