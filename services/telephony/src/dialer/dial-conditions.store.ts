import type { Sql } from '@parley/kit/db';
import { CLOSED } from './circuit.ts';
import { CIRCUIT_COLUMNS, type CircuitRow, toCircuit } from './circuits.store.ts';
import type { ConditionsDeps } from './dial-conditions.ts';
import { NEXT_DIAL_MS, type PaceRow, toPace } from './pace-rows.store.ts';

const CONDITIONS = `
  SELECT n.id::text AS phone_number_id, n.workspace_id::text, n.phone_number, n.is_active, n.max_cps,
    ${NEXT_DIAL_MS} AS next_dial_ms, NULL::float8 AS others_dial_ms,
    ${CIRCUIT_COLUMNS},
    (SELECT count(*)::int FROM dial_requests r
     WHERE r.phone_number_id = n.id AND r.state = 'waiting' AND r.campaign_id IS NOT NULL) AS waiting,
    (SELECT count(*)::int FROM calls WHERE calls.workspace_id = n.workspace_id AND status <> 'completed') AS live,
    coalesce((SELECT s.cents::float8 FROM daily_spend s WHERE s.workspace_id = n.workspace_id
      AND s.day = ($3::timestamptz AT TIME ZONE 'UTC')::date), 0) AS spent,
    (SELECT count(*)::int FROM call_workers w WHERE w.expires_at > clock_timestamp()) AS workers
  FROM phone_numbers n JOIN number_clocks k ON k.phone_number_id = n.id
  LEFT JOIN number_circuits c ON c.phone_number_id = n.id
  WHERE n.workspace_id = $1::uuid AND n.id = $2::uuid`;

type Row = PaceRow &
  Omit<CircuitRow, 'failures'> & {
    failures: number | null;
    waiting: number;
    live: number;
    spent: number;
    workers: number;
  };

export function createDialConditions(sql: Sql): ConditionsDeps['dialConditions'] {
  return async (workspaceId, phoneNumberId, now) => {
    const [row] = await sql.$queryRawUnsafe<Row[]>(CONDITIONS, workspaceId, phoneNumberId, now.toISOString());
    if (!row) return undefined;
    const { failures } = row;
    return {
      pace: toPace(row),
      circuit: failures === null ? CLOSED : toCircuit({ ...row, failures }),
      waiting: row.waiting,
      liveCalls: row.live,
      spentCents: row.spent,
      callWorkers: row.workers,
    };
  };
}
