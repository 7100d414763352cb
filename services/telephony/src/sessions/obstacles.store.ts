import { createBatcher } from '@parley/kit/concurrency';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import type { SessionDeps } from './session.ts';

type Dial = { id: string; workspace_id: string; phone_number_id: string | null; to_number: string | null };

const obstacleRow = z.object({
  id: z.string(),
  obstacle: z.enum(['withdrawn', 'do_not_call', 'number_unavailable']),
});

/** Obstacles to granted dials; simultaneous checks share one statement. */
export function createObstacles(client: SqlClient, clock: Clock): SessionDeps['obstacleTo'] {
  const check = createBatcher(async (dials: Dial[]) => {
    const now = clock.now().toISOString();
    const rows = await queryRows(
      client,
      obstacleRow,
      sql`SELECT given.id::text,
        CASE WHEN r.generation < g.min_generation OR r.not_after <= ${now}::timestamptz THEN 'withdrawn'
          WHEN d.phone_number IS NOT NULL THEN 'do_not_call' ELSE 'number_unavailable' END AS obstacle
      FROM json_to_recordset(${JSON.stringify(dials)}::json)
        AS given (id uuid, workspace_id uuid, phone_number_id uuid, to_number text)
      LEFT JOIN do_not_call d ON d.workspace_id = given.workspace_id AND d.phone_number = given.to_number
      LEFT JOIN phone_numbers n ON n.id = given.phone_number_id
      LEFT JOIN dial_requests r ON r.call_id = given.id
      LEFT JOIN campaign_gates g ON g.campaign_id = r.campaign_id
      WHERE d.phone_number IS NOT NULL OR n.id IS NULL OR r.generation < g.min_generation
        OR r.not_after <= ${now}::timestamptz`,
    );
    const obstacles = new Map(rows.map(({ id, obstacle }) => [id, obstacle]));
    return dials.map(({ id }) => obstacles.get(id) ?? null);
  });
  return ({ id, workspaceId, phoneNumberId, toNumber }) =>
    check({ id, workspace_id: workspaceId, phone_number_id: phoneNumberId, to_number: toNumber });
}
