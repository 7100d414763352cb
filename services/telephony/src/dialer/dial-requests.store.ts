import { createBatcher } from '@parley/kit/concurrency';
import type { Sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import type { RequestRow } from './dial-rows.store.ts';
import type { WaitingDial } from './plan-grants.ts';

const ADD = `
  INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, agent_id, to_number, dynamic_variables, requested_at,
    campaign_id, contact_id, generation, not_after, traceparent)
  SELECT * FROM json_to_recordset($1::json) AS given (call_id uuid, workspace_id uuid, phone_number_id uuid,
    agent_id uuid, to_number text, dynamic_variables jsonb, requested_at timestamptz, campaign_id uuid, contact_id uuid,
    generation int, not_after timestamptz, traceparent text)
  ON CONFLICT (call_id) DO NOTHING`;

/** `traceparent`: where it isn't that of whoever writes it. */
type TracedDial = WaitingDial & { traceparent?: string | null };

const currentTrace = (): string | null => traceHeaders().traceparent ?? null;

/**
 * Puts requests into the dialer's queue; those whose ids are known already stay as they are. Wake the dialer after the
 * commit.
 */
export async function addDialRequests(sql: Sql, requests: readonly TracedDial[]): Promise<void> {
  const current = currentTrace();
  const rows = requests.map(
    ({ campaign, traceparent = current, ...request }): RequestRow & { traceparent: string | null } => ({
      call_id: request.callId,
      workspace_id: request.workspaceId,
      phone_number_id: request.phoneNumberId,
      agent_id: request.agentId,
      to_number: request.toNumber,
      dynamic_variables: request.dynamicVariables,
      requested_at: request.requestedAt,
      campaign_id: campaign?.campaignId ?? null,
      contact_id: campaign?.contactId ?? null,
      generation: campaign?.generation ?? null,
      not_after: campaign?.notAfter ?? null,
      traceparent,
    }),
  );
  await sql.$executeRawUnsafe(ADD, JSON.stringify(rows));
}

/** The same for requests that come one by one, each a message: those of one breath cost one statement. */
export function createDialIntake(sql: Sql): (request: WaitingDial) => Promise<void> {
  const add = createBatcher(async (requests: TracedDial[]) => {
    await addDialRequests(sql, requests);
    return requests.map(() => undefined);
  });
  // Each has come by a message of its own.
  return (request) => add({ ...request, traceparent: currentTrace() });
}

/** From now on no request of the campaign with a lower generation is granted [campaigns.5]. Gates only rise. */
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
