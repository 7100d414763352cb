import { createBatcher } from '@parley/kit/concurrency';
import { queryRow, queryRows, type SqlClient, type Statement, sql } from '@parley/kit/db';
import { traceHeaders } from '@parley/kit/observability';
import { z } from 'zod';
import type { DialQueue } from '../calls/placing-ports.ts';
import type { DialRequest } from './dial-request.ts';

export const requestColumns = sql`call_id::text, workspace_id::text, phone_number_id::text, agent_id::text, to_number,
  dynamic_variables, requested_at, campaign_id::text, contact_id::text, generation, not_after`;

export const requestRow = z.object({
  call_id: z.string(),
  workspace_id: z.string(),
  phone_number_id: z.string(),
  agent_id: z.string(),
  to_number: z.string(),
  // Not z.record, which drops a key `__proto__`.
  dynamic_variables: z.custom<Record<string, unknown>>(),
  requested_at: z.date(),
  campaign_id: z.string().nullable(),
  contact_id: z.string().nullable(),
  generation: z.number().nullable(),
  not_after: z.date().nullable(),
});

export function toDialRequest(row: z.infer<typeof requestRow>): DialRequest {
  const { campaign_id: campaignId, contact_id: contactId, generation, not_after: notAfter } = row;
  return {
    callId: row.call_id,
    workspaceId: row.workspace_id,
    phoneNumberId: row.phone_number_id,
    agentId: row.agent_id,
    toNumber: row.to_number,
    dynamicVariables: row.dynamic_variables,
    requestedAt: row.requested_at,
    campaign:
      campaignId && contactId && generation !== null ? { campaignId, contactId, generation, notAfter } : null,
  };
}

/** `traceparent`: of the request's message; by default the current one. */
export type TracedRequest = DialRequest & { traceparent?: string | null };

const currentTrace = (): string | null => traceHeaders().traceparent ?? null;

/** Adds requests to the dialer's queue; known ones stay as they are. Wake the dialer after the commit. */
export function insertDialRequests(requests: readonly TracedRequest[]): Statement {
  const current = currentTrace();
  const rows = requests.map(({ campaign, traceparent = current, ...request }) => ({
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
  }));
  return sql`
    INSERT INTO dial_requests (call_id, workspace_id, phone_number_id, agent_id, to_number, dynamic_variables,
      requested_at, campaign_id, contact_id, generation, not_after, traceparent)
    SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS given (call_id uuid, workspace_id uuid,
      phone_number_id uuid, agent_id uuid, to_number text, dynamic_variables jsonb, requested_at timestamptz,
      campaign_id uuid, contact_id uuid, generation int, not_after timestamptz, traceparent text)
    ON CONFLICT (call_id) DO NOTHING`;
}

/** The same for requests that arrive one by one, each as a message: simultaneous ones share a statement. */
export function createDialIntake(client: SqlClient): (request: DialRequest) => Promise<void> {
  const add = createBatcher(async (requests: TracedRequest[]) => {
    await client.$executeRaw(insertDialRequests(requests));
    return requests.map(() => undefined);
  });
  return (request) => add({ ...request, traceparent: currentTrace() });
}

const withdrawnRow = z.object({ callId: z.string(), contactId: z.string(), workspaceId: z.string() });
const slotRow = z.object({ at: z.date().nullable() });

export function createDialQueue(client: SqlClient): DialQueue {
  return {
    raiseGate: async (tx, campaignId, minGeneration) => {
      await tx.$executeRaw(sql`
        INSERT INTO campaign_gates (campaign_id, min_generation) VALUES (${campaignId}::uuid, ${minGeneration}::int)
        ON CONFLICT (campaign_id) DO UPDATE SET min_generation = EXCLUDED.min_generation
        WHERE campaign_gates.min_generation < EXCLUDED.min_generation`);
    },
    withdrawWaiting: (tx, campaignId, belowGeneration) =>
      queryRows(
        tx,
        withdrawnRow,
        sql`UPDATE dial_requests SET state = 'withdrawn', reason = 'withdrawn'
        WHERE campaign_id = ${campaignId}::uuid AND generation < ${belowGeneration}::int AND state = 'waiting'
        RETURNING call_id::text AS "callId", contact_id::text AS "contactId", workspace_id::text AS "workspaceId"`,
      ),
    lastSlot: async (campaignId) => {
      const row = await queryRow(
        client,
        slotRow,
        sql`SELECT max(started_at) AS at FROM calls
        WHERE campaign_id = ${campaignId}::uuid AND phase = 'dialing' AND status <> 'completed'`,
      );
      return row?.at ?? null;
    },
  };
}
