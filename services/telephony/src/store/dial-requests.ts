import type { Sql } from '@parley/kit/db';
import type { WaitingDial } from '../domain/dialing/plan-grants.ts';

/** Puts a request into the dialer's queue; false when its id is known already. Wake the dialer after the commit. */
export async function addDialRequest(tx: Sql, request: WaitingDial): Promise<boolean> {
  const inserted = await tx.$executeRawUnsafe(
    `INSERT INTO dial_requests
       (call_id, workspace_id, phone_number_id, agent_id, to_number, dynamic_variables, requested_at,
        campaign_id, contact_id, generation, not_after)
     VALUES ($1::uuid, $2::uuid, $3::uuid, $4::uuid, $5, $6::jsonb, $7::timestamptz, $8::uuid, $9::uuid, $10::int,
       $11::timestamptz)
     ON CONFLICT (call_id) DO NOTHING`,
    request.callId,
    request.workspaceId,
    request.phoneNumberId,
    request.agentId,
    request.toNumber,
    JSON.stringify(request.dynamicVariables),
    request.requestedAt,
    request.campaign?.campaignId ?? null,
    request.campaign?.contactId ?? null,
    request.campaign?.generation ?? null,
    request.campaign?.notAfter?.toISOString() ?? null,
  );
  return inserted === 1;
}

/** From now on no request of the campaign with a lower generation is granted (D7.1). Gates only rise. */
export async function raiseGate(sql: Sql, campaignId: string, minGeneration: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO campaign_gates (campaign_id, min_generation) VALUES ($1::uuid, $2::int)
     ON CONFLICT (campaign_id) DO UPDATE SET min_generation = EXCLUDED.min_generation
     WHERE campaign_gates.min_generation < EXCLUDED.min_generation`,
    campaignId,
    minGeneration,
  );
}

export type WithdrawnDial = { callId: string; contactId: string; workspaceId: string };

/** Takes back what still waits below the generation. Waits for grants that are under way, and leaves those alone. */
export async function withdrawWaiting(
  tx: Sql,
  campaignId: string,
  belowGeneration: number,
): Promise<WithdrawnDial[]> {
  return tx.$queryRawUnsafe<WithdrawnDial[]>(
    `UPDATE dial_requests SET state = 'withdrawn', reason = 'withdrawn'
     WHERE campaign_id = $1::uuid AND generation < $2::int AND state = 'waiting'
     RETURNING call_id::text AS "callId", contact_id::text AS "contactId", workspace_id::text AS "workspaceId"`,
    campaignId,
    belowGeneration,
  );
}

/** When the last dial that was granted to the campaign leaves, if one hasn't left. */
export async function lastGrantedDial(sql: Sql, campaignId: string): Promise<Date | null> {
  const rows = await sql.$queryRawUnsafe<{ at: Date | null }[]>(
    `SELECT max(started_at) AS at FROM calls
     WHERE campaign_id = $1::uuid AND phase = 'dialing' AND status <> 'completed'`,
    campaignId,
  );
  return rows[0]?.at ?? null;
}
