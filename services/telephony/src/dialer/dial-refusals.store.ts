import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import { saveCalls } from '../sessions/call-writes.store.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { Refusal, UnpreparedReason } from './dial-request.ts';

/** Closes the requests, publishes `dial.refused` to campaigns, and ends single calls as `dial_failed`. */
export async function writeRefusals(tx: SqlClient, refusals: readonly Refusal[], now: Date): Promise<void> {
  if (refusals.length === 0) return;
  const ids = refusals.map(({ request }) => request.callId);
  const reasons = refusals.map(({ reason }) => reason);
  await tx.$executeRaw(sql`
    UPDATE dial_requests r SET state = CASE given.reason WHEN 'withdrawn' THEN 'withdrawn' ELSE 'refused' END,
      reason = given.reason
    FROM unnest(${ids}::uuid[], ${reasons}::text[]) AS given (id, reason) WHERE r.call_id = given.id`);
  await enqueue(
    tx,
    refusals.flatMap((refusal) => toMessage(refusal, now)),
  );
  const single = refusals.filter(({ request }) => request.campaign === null);
  await endSingleCalls(tx, new Map(single.map(({ request, reason }) => [request.callId, reason])), now);
}

const isUnprepared = (reason: Refusal['reason']): reason is UnpreparedReason =>
  reason === 'assistant_unreachable' || reason === 'texts_too_long';

function toMessage({ request, reason }: Refusal, occurredAt: Date) {
  const { campaign, callId, workspaceId } = request;
  if (!campaign || isUnprepared(reason)) return [];
  const { campaignId, contactId } = campaign;
  const data = { call_id: callId, campaign_id: campaignId, contact_id: contactId, reason };
  return [{ type: 'dial.refused' as const, workspaceId, occurredAt, data }];
}

/** The timeline gives the reason; the calls themselves say `dial_failed` or `error` [calls.11]. */
async function endSingleCalls(
  tx: SqlClient,
  reasons: ReadonlyMap<string, Refusal['reason']>,
  now: Date,
): Promise<void> {
  if (reasons.size === 0) return;
  const rows = await queryRows(
    tx,
    callRow,
    sql`SELECT ${callColumns} FROM calls WHERE id = ANY (${[...reasons.keys()]}::uuid[]) AND phase = 'queued' FOR UPDATE`,
  );
  const changes = rows.map(toCall).map((call) => {
    const cause = reasons.get(call.id) ?? 'withdrawn';
    const { state, events } = endUntouched(call, isUnprepared(cause) ? 'failed' : 'withdrawn', now);
    const timeline: TimelineEvent[] = [{ type: 'ended', at: now, detail: { cause } }];
    return { call, state, events, timeline, workerId: null };
  });
  await saveCalls(tx, changes, now);
}
