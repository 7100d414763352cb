import type { Sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { Call } from '../sessions/call.ts';
import { type CallTimelineEvent, recordCallEvents } from '../sessions/call-events.store.ts';
import { CALL_COLUMNS, type CallRow, toCall } from '../sessions/call-rows.store.ts';
import type { DialStore, PreparedGrant } from './ports.ts';

const DIALLED = `UPDATE dial_requests SET state = 'dialled' WHERE call_id = ANY ($1::uuid[])`;

/** A single call is there already, a campaign's is made here; it starts at the instant at which it may leave. */
const WRITE = `
  INSERT INTO calls (id, workspace_id, agent_id, agent_version, agent_webhook_url, call_type, phone_number_id,
    from_number, to_number, phase, worker_id, fence, campaign_id, contact_id, dynamic_variables,
    unresolved_placeholders, rate_cents, started_at, created_at, updated_at, traceparent)
  SELECT id, workspace_id, agent_id, agent_version, agent_webhook_url, 'outbound', phone_number_id,
    from_number, to_number, 'dialing', $2::uuid, 1, campaign_id, contact_id, dynamic_variables,
    unresolved, rate_cents, at, $3::timestamptz, $3::timestamptz,
    (SELECT traceparent FROM dial_requests r WHERE r.call_id = granted.id)
  FROM json_to_recordset($1::json) AS granted (id uuid, workspace_id uuid, agent_id uuid, agent_version int,
    agent_webhook_url text, phone_number_id uuid, from_number text, to_number text, campaign_id uuid, contact_id uuid,
    dynamic_variables jsonb, unresolved text[], rate_cents int, at timestamptz)
  ON CONFLICT (id) DO UPDATE SET phase = 'dialing', worker_id = EXCLUDED.worker_id, fence = calls.fence + 1,
    agent_version = EXCLUDED.agent_version, agent_webhook_url = EXCLUDED.agent_webhook_url,
    unresolved_placeholders = EXCLUDED.unresolved_placeholders, started_at = EXCLUDED.started_at,
    updated_at = EXCLUDED.updated_at
  WHERE calls.phase = 'queued'
  RETURNING ${CALL_COLUMNS}`;

/** Commits dials before they leave, and says so to their campaigns. */
export const writeGrants: DialStore['writeGrants'] = async (tx, workerId, grants, now) => {
  if (grants.length === 0) return [];
  await tx.$executeRawUnsafe(
    DIALLED,
    grants.map(({ request }) => request.callId),
  );
  const rows = await tx.$queryRawUnsafe<CallRow[]>(
    WRITE,
    JSON.stringify(grants.map(toRow)),
    workerId,
    now.toISOString(),
  );
  const calls = rows.map(toCall);
  const dialled = new Set(calls.map(({ id }) => id));
  await recordCallEvents(
    tx,
    grants.filter(({ request }) => dialled.has(request.callId)).flatMap(toTimelineEvents),
  );
  await say(tx, calls, now);
  return calls;
};

async function say(tx: Sql, calls: readonly Call[], now: Date): Promise<void> {
  await enqueue(
    tx,
    calls.flatMap(({ id, workspaceId, campaign, traceparent }) =>
      campaign
        ? {
            type: 'call.dialing' as const,
            workspaceId,
            occurredAt: now,
            traceparent: traceparent ?? null,
            data: {
              call_id: id,
              campaign: { campaign_id: campaign.campaignId, contact_id: campaign.contactId },
            },
          }
        : [],
    ),
  );
}

/** A single call has been queued since it was placed; a campaign's is told of here for the first time. */
function toTimelineEvents({
  request: { callId, campaign, requestedAt },
  startsAt,
}: PreparedGrant): CallTimelineEvent[] {
  const queued: CallTimelineEvent[] = campaign ? [{ callId, type: 'queued', at: requestedAt }] : [];
  return [...queued, { callId, type: 'dialing', at: startsAt }];
}

function toRow({ request, from, startsAt, ...grant }: PreparedGrant) {
  return {
    id: request.callId,
    workspace_id: request.workspaceId,
    agent_id: request.agentId,
    agent_version: grant.agentVersion,
    agent_webhook_url: grant.agentWebhookUrl,
    phone_number_id: request.phoneNumberId,
    from_number: from,
    to_number: request.toNumber,
    campaign_id: request.campaign?.campaignId ?? null,
    contact_id: request.campaign?.contactId ?? null,
    dynamic_variables: request.dynamicVariables,
    unresolved: grant.unresolvedPlaceholders,
    rate_cents: grant.rateCents,
    at: startsAt.toISOString(),
  };
}
