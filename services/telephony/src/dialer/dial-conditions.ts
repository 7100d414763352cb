import type { getDialConditions as contract, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { WorkspaceLimits, WorkspaceSettings } from '../clients/ports.ts';
import { affordableCalls } from '../limits/spend.ts';
import type { Circuit } from './circuit.ts';
import type { NumberPace } from './dial-request.ts';

type DialConditions = {
  pace: NumberPace;
  circuit: Circuit;
  waiting: number;
  liveCalls: number;
  /** Cost of the workspace's calls that ended today (UTC). */
  spentCents: number;
  callWorkers: number;
};

export type ConditionsDeps = {
  /** Undefined: the workspace has no such number. */
  dialConditions: (
    workspaceId: string,
    phoneNumberId: string,
    now: Date,
  ) => Promise<DialConditions | undefined>;
  clock: Clock;
  settings: WorkspaceSettings;
};

/** What the next dial of a number waits for [campaigns.18]. */
export async function getDialConditions(
  { dialConditions, settings, clock }: ConditionsDeps,
  workspaceId: string,
  phoneNumberId: string,
): Promise<ResponseOf<typeof contract>> {
  const found = await dialConditions(workspaceId, phoneNumberId, clock.now());
  if (!found) throw notFound('Phone number');
  const { pace, circuit } = found;
  // While the gateway is unavailable, the other conditions are still useful.
  const limits = await settings.get(workspaceId).catch(() => null);
  return {
    phone_number: pace.phoneNumber,
    is_active: pace.isActive,
    max_cps: pace.maxCps,
    next_dial_at: toIsoMillis(new Date(pace.nextSlotMs)),
    waiting: found.waiting,
    live_calls: found.liveCalls,
    max_live_calls: limits?.maxLiveCalls ?? null,
    call_workers: found.callWorkers,
    is_suspended: limits?.isSuspended ?? false,
    allowed_destinations: [...(limits?.allowedDestinations ?? [])],
    spend: limits && spendOf(limits, found),
    circuit: {
      state: circuit.openedAt ? (circuit.probeCallId ? 'probing' : 'open') : 'closed',
      failures_in_a_row: circuit.failures,
      last_failed_at: iso(circuit.lastFailedAt),
      opened_at: iso(circuit.openedAt),
      openings: circuit.openings,
      next_probe_at: circuit.probeCallId ? null : iso(circuit.probeAt),
    },
  };
}

function spendOf(limits: WorkspaceLimits, { spentCents, liveCalls }: DialConditions) {
  const { dailySpendLimitCents: limit, rateCents } = limits;
  if (limit === null) return null;
  return {
    limit_cents: limit,
    spent_cents: spentCents,
    reserved_cents: liveCalls * rateCents,
    is_exhausted: affordableCalls(limits, spentCents, liveCalls) < 1,
  };
}

const iso = (at: Date | null): string | null => at && toIsoMillis(at);
