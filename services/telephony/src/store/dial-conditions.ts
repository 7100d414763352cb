import type { Sql } from '@parley/kit/db';
import { CLOSED } from '../domain/dialing/circuit.ts';
import type { ConditionsDeps } from '../domain/dialing/dial-conditions.ts';
import { CIRCUIT_COLUMNS, type CircuitRow, toCircuit } from './circuits.ts';
import { NEXT_DIAL_MS, type PaceRow, toPace } from './pace-rows.ts';

const CONDITIONS = `
  SELECT n.id::text AS phone_number_id, n.workspace_id::text, n.phone_number, n.is_active, n.max_cps,
    ${NEXT_DIAL_MS} AS next_dial_ms, NULL::float8 AS others_dial_ms,
    ${CIRCUIT_COLUMNS},
    (SELECT count(*)::int FROM dial_requests r
     WHERE r.phone_number_id = n.id AND r.state = 'waiting' AND r.campaign_id IS NOT NULL) AS waiting,
    (SELECT count(*)::int FROM calls WHERE calls.workspace_id = n.workspace_id AND status <> 'completed') AS live,
    (SELECT count(*)::int FROM call_workers w WHERE w.expires_at > clock_timestamp()) AS workers
  FROM phone_numbers n JOIN number_clocks k ON k.phone_number_id = n.id
  LEFT JOIN number_circuits c ON c.phone_number_id = n.id
  WHERE n.workspace_id = $1::uuid AND n.id = $2::uuid`;

type Row = PaceRow &
  Omit<CircuitRow, 'failures'> & { failures: number | null; waiting: number; live: number; workers: number };

export function createDialConditions(sql: Sql): ConditionsDeps['dialConditions'] {
  return async (workspaceId, phoneNumberId) => {
    const [row] = await sql.$queryRawUnsafe<Row[]>(CONDITIONS, workspaceId, phoneNumberId);
    if (!row) return undefined;
    const { failures } = row;
    return {
      pace: toPace(row),
      circuit: failures === null ? CLOSED : toCircuit({ ...row, failures }),
      waiting: row.waiting,
      liveCalls: row.live,
      callWorkers: row.workers,
    };
  };
}
