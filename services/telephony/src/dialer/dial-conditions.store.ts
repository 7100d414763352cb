import { queryRow, type SqlClient, sql } from '@parley/kit/db';
import { z } from 'zod';
import { CLOSED } from './circuit.ts';
import { circuitColumns, circuitRow, toCircuit } from './circuits.store.ts';
import type { ConditionsDeps } from './dial-conditions.ts';
import { paceColumns, paceRow, toPace } from './dials.store.ts';

/** A number without failures has no row of its circuit. */
const conditionsRow = paceRow.extend(circuitRow.shape).extend({
  failures: z.number().nullable(),
  openings: z.number().nullable(),
  waiting: z.number(),
  live: z.number(),
  spent: z.number(),
  workers: z.number(),
});

export function createDialConditions(client: SqlClient): ConditionsDeps['dialConditions'] {
  return async (workspaceId, phoneNumberId, now) => {
    const row = await queryRow(
      client,
      conditionsRow,
      sql`SELECT n.id::text AS phone_number_id, ${paceColumns}, ${circuitColumns},
        (SELECT count(*)::int FROM dial_requests r
         WHERE r.phone_number_id = n.id AND r.state = 'waiting' AND r.campaign_id IS NOT NULL) AS waiting,
        (SELECT count(*)::int FROM calls WHERE calls.workspace_id = n.workspace_id AND status <> 'completed') AS live,
        coalesce((SELECT s.cents::float8 FROM daily_spend s WHERE s.workspace_id = n.workspace_id
          AND s.day = (${now.toISOString()}::timestamptz AT TIME ZONE 'UTC')::date), 0) AS spent,
        (SELECT count(*)::int FROM call_workers w WHERE w.expires_at > clock_timestamp()) AS workers
      FROM phone_numbers n JOIN number_clocks k ON k.phone_number_id = n.id
      LEFT JOIN number_circuits c ON c.phone_number_id = n.id
      WHERE n.workspace_id = ${workspaceId}::uuid AND n.id = ${phoneNumberId}::uuid`,
    );
    if (!row) return undefined;
    const { failures, openings } = row;
    return {
      pace: toPace(row),
      circuit: failures === null || openings === null ? CLOSED : toCircuit({ ...row, failures, openings }),
      waiting: row.waiting,
      liveCalls: row.live,
      spentCents: row.spent,
      callWorkers: row.workers,
    };
  };
}
