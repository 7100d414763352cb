import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { CarrierChoice } from '../carriers/registry.ts';
import type { Call } from '../sessions/call.ts';
import { type CallTimelineEvent, recordCallEvents } from '../sessions/call-events.store.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import type { PlannedDial } from './plan-slots.ts';

export type WrittenDial = Pick<PlannedDial, 'request' | 'slot' | 'intervalMs' | 'assistant'> & { call: Call };

/** The worker that reserves, and when. */
type Reservation = { workerId: string; carriers: CarrierChoice; now: Date };

/**
 * Writes the calls as `dialing`, owned by the worker, and publishes `call.dialing`. A call that has been stopped meanwhile isn't
 * written.
 */
export async function writeDials(
  tx: SqlClient,
  reservation: Reservation,
  dials: readonly PlannedDial[],
): Promise<WrittenDial[]> {
  if (dials.length === 0) return [];
  await markReserved(tx, dials);
  const calls = await upsertCalls(tx, reservation, dials);
  const written = dials.flatMap(({ request, slot, intervalMs, assistant }) => {
    const call = calls.get(request.callId);
    return call ? [{ request, slot, intervalMs, assistant, call }] : [];
  });
  await recordCallEvents(tx, written.flatMap(toTimelineEvents));
  await enqueue(
    tx,
    written.flatMap(({ call }) => toMessages(call, reservation.now)),
  );
  return written;
}

/** Counts this reservation. A new call gets the count as its first fence. */
async function markReserved(tx: SqlClient, dials: readonly PlannedDial[]): Promise<void> {
  const ids = dials.map(({ request }) => request.callId);
  await tx.$executeRaw(
    sql`UPDATE dial_requests SET state = 'dialled', reservations = reservations + 1 WHERE call_id = ANY (${ids}::uuid[])`,
  );
}

/**
 * A single call exists already, as `queued`; one in another phase stays as it is. A call starts at its slot. Each reservation has a
 * fence of its own: a session of an earlier one, which was undone and does not know it yet, must not change the call.
 */
async function upsertCalls(
  tx: SqlClient,
  { workerId, carriers, now }: Reservation,
  dials: readonly PlannedDial[],
): Promise<Map<string, Call>> {
  const at = now.toISOString();
  const rows = await queryRows(
    tx,
    callRow,
    sql`INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
      from_number, to_number, phase, worker_id, fence, campaign_id, contact_id, dynamic_variables,
      unresolved_placeholders, rate_cents, started_at, created_at, updated_at, traceparent, carrier)
    SELECT id, workspace_id, agent_id, agent_version, agent_webhook_url, 'outbound', phone_number_id,
      from_number, to_number, 'dialing', ${workerId}::uuid,
      (SELECT reservations FROM dial_requests r WHERE r.call_id = given.id), campaign_id, contact_id, dynamic_variables,
      unresolved, rate_cents, slot, ${at}::timestamptz, ${at}::timestamptz,
      (SELECT traceparent FROM dial_requests r WHERE r.call_id = given.id),
      (SELECT ${JSON.stringify(carriers)}::json ->> n.provider FROM phone_numbers n WHERE n.id = given.phone_number_id)
    FROM json_to_recordset(${JSON.stringify(dials.map(toRow))}::json) AS given (id uuid, workspace_id uuid,
      agent_id uuid, agent_version int, agent_webhook_url text, phone_number_id uuid, from_number text,
      to_number text, campaign_id uuid, contact_id uuid, dynamic_variables jsonb, unresolved text[], rate_cents int,
      slot timestamptz)
    ON CONFLICT (id) DO UPDATE SET phase = 'dialing', worker_id = EXCLUDED.worker_id, fence = calls.fence + 1,
      agent_version = EXCLUDED.agent_version, agent_webhook_url = EXCLUDED.agent_webhook_url,
      unresolved_placeholders = EXCLUDED.unresolved_placeholders, started_at = EXCLUDED.started_at,
      updated_at = EXCLUDED.updated_at, carrier = EXCLUDED.carrier
    WHERE calls.phase = 'queued'
    RETURNING ${callColumns}`,
  );
  return new Map(rows.map((row) => [row.id, toCall(row)]));
}

function toMessages({ id, workspaceId, campaign, traceparent }: Call, occurredAt: Date) {
  if (!campaign) return [];
  const { campaignId: campaign_id, contactId: contact_id } = campaign;
  const data = { call_id: id, campaign: { campaign_id, contact_id } };
  return [{ type: 'call.dialing' as const, workspaceId, occurredAt, traceparent: traceparent ?? null, data }];
}

/** A single call was recorded as queued when it was placed. */
function toTimelineEvents({
  request: { callId, campaign, requestedAt },
  slot,
}: WrittenDial): CallTimelineEvent[] {
  const queued: CallTimelineEvent[] = campaign ? [{ callId, type: 'queued', at: requestedAt }] : [];
  return [...queued, { callId, type: 'dialing', at: slot }];
}

function toRow({ request, from, slot, snapshot, assistant, rateCents }: PlannedDial) {
  return {
    id: request.callId,
    workspace_id: request.workspaceId,
    agent_id: request.agentId,
    agent_version: snapshot.version,
    agent_webhook_url: snapshot.webhook_url,
    phone_number_id: request.phoneNumberId,
    from_number: from,
    to_number: request.toNumber,
    campaign_id: request.campaign?.campaignId ?? null,
    contact_id: request.campaign?.contactId ?? null,
    dynamic_variables: request.dynamicVariables,
    unresolved: assistant.unresolved,
    rate_cents: rateCents,
    slot: slot.toISOString(),
  };
}
