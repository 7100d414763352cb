import type { NumberPace } from '../domain/dialing/plan-grants.ts';

export type PaceRow = {
  phone_number_id: string;
  workspace_id: string;
  phone_number: string;
  is_active: boolean;
  max_cps: number;
  next_dial_at: Date;
  probe_at: Date | null;
};

export function toPace(row: PaceRow): NumberPace {
  return {
    phoneNumberId: row.phone_number_id,
    workspaceId: row.workspace_id,
    phoneNumber: row.phone_number,
    isActive: row.is_active,
    maxCps: row.max_cps,
    nextDialAt: row.next_dial_at,
    probeAt: row.probe_at,
  };
}
