import { gather, type Sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { SessionDeps } from '../domain/calls/call-parts.ts';
import type { Obstacle } from '../domain/calls/judge-end.ts';

const OBSTACLES = `
  SELECT given.id::text, CASE WHEN r.generation < g.min_generation OR r.not_after <= $2::timestamptz THEN 'withdrawn'
    WHEN d.phone_number IS NOT NULL THEN 'do_not_call' ELSE 'number_unavailable' END AS obstacle
  FROM json_to_recordset($1::json) AS given (id uuid, workspace_id uuid, phone_number_id uuid, to_number text)
  LEFT JOIN do_not_call d ON d.workspace_id = given.workspace_id AND d.phone_number = given.to_number
  LEFT JOIN phone_numbers n ON n.id = given.phone_number_id
  LEFT JOIN dial_requests r ON r.call_id = given.id
  LEFT JOIN campaign_gates g ON g.campaign_id = r.campaign_id
  WHERE d.phone_number IS NOT NULL OR n.id IS NULL OR r.generation < g.min_generation
    OR r.not_after <= $2::timestamptz`;

type Dial = { id: string; workspace_id: string; phone_number_id: string | null; to_number: string | null };

/** Those who ask in one breath cost one statement. */
export function createObstacles(sql: Sql, clock: Clock): SessionDeps['obstacleTo'] {
  const ask = gather(async (dials: Dial[]) => {
    const json = JSON.stringify(dials);
    const rows = await sql.$queryRawUnsafe<{ id: string; obstacle: Obstacle }[]>(
      OBSTACLES,
      json,
      clock.now().toISOString(),
    );
    const obstacles = new Map(rows.map(({ id, obstacle }) => [id, obstacle]));
    return dials.map(({ id }) => obstacles.get(id) ?? null);
  });
  return ({ id, workspaceId, phoneNumberId, toNumber }) =>
    ask({ id, workspace_id: workspaceId, phone_number_id: phoneNumberId, to_number: toNumber });
}
