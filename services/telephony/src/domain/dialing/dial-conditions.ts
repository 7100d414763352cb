import type { getDialConditions as contract, ResponseOf } from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { toIsoMillis } from '@parley/kit/time';
import type { WorkspaceSettings } from '../ports.ts';
import type { Circuit } from './circuit.ts';
import type { NumberPace } from './plan-grants.ts';

export type DialConditions = {
  pace: NumberPace;
  circuit: Circuit;
  waiting: number;
  liveCalls: number;
  callWorkers: number;
};

export type ConditionsDeps = {
  /** Undefined where the workspace has no such number. */
  dialConditions: (workspaceId: string, phoneNumberId: string) => Promise<DialConditions | undefined>;
  settings: WorkspaceSettings;
};

/** What the next dial of a number waits for, for whoever explains it (D7.7). */
export async function getDialConditions(
  { dialConditions, settings }: ConditionsDeps,
  workspaceId: string,
  phoneNumberId: string,
): Promise<ResponseOf<typeof contract>> {
  const found = await dialConditions(workspaceId, phoneNumberId);
  if (!found) throw notFound('Phone number');
  const { pace, circuit } = found;
  // Without the gateway everything else is still worth knowing.
  const limits = await settings.get(workspaceId).catch(() => null);
  return {
    phone_number: pace.phoneNumber,
    is_active: pace.isActive,
    max_cps: pace.maxCps,
    next_dial_at: toIsoMillis(new Date(pace.nextDialMs)),
    waiting: found.waiting,
    live_calls: found.liveCalls,
    max_live_calls: limits?.maxLiveCalls ?? null,
    call_workers: found.callWorkers,
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

const iso = (at: Date | null): string | null => at && toIsoMillis(at);
