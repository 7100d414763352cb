import type { NumberPace } from './plan-grants.ts';

/** Of `number_clocks k`, in milliseconds. */
export const NEXT_DIAL_MS = 'extract(epoch FROM k.next_dial_at)::float8 * 1000';

/** When a worker's next dial may leave: dials of the number's holder may be late, and the others keep away from them. */
export const nextDialOf = (worker: string): string =>
  `CASE WHEN k.holder_id = ${worker} THEN k.next_dial_at ELSE greatest(k.next_dial_at, k.others_dial_at) END`;

/** How long the others keep away from what the worker was granted before: whatever comes, it may leave as late. */
export const othersDialOf = (worker: string): string =>
  `CASE WHEN k.holder_id = ${worker} THEN k.others_dial_at END`;

/** Both as columns, in milliseconds. */
export const dialTimesOf = (worker: string): string =>
  `extract(epoch FROM ${nextDialOf(worker)})::float8 * 1000 AS next_dial_ms,
   extract(epoch FROM ${othersDialOf(worker)})::float8 * 1000 AS others_dial_ms`;

export type PaceRow = {
  phone_number_id: string;
  workspace_id: string;
  phone_number: string;
  is_active: boolean;
  max_cps: number;
  next_dial_ms: number;
  others_dial_ms: number | null;
  probe_at: Date | null;
};

export function toPace(row: PaceRow): NumberPace {
  return {
    phoneNumberId: row.phone_number_id,
    workspaceId: row.workspace_id,
    phoneNumber: row.phone_number,
    isActive: row.is_active,
    maxCps: row.max_cps,
    nextDialMs: row.next_dial_ms,
    othersDialMs: row.others_dial_ms,
    lateMs: 0,
    probeAt: row.probe_at,
  };
}
