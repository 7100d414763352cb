import type { Sql } from '@parley/kit/db';
import { enqueue } from '@parley/kit/outbox';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import { CALL_COLUMNS, type CallRow, toCall } from '../sessions/call-rows.store.ts';
import { saveCalls } from '../sessions/call-writes.store.ts';
import { endUntouched } from '../sessions/end-untouched.ts';
import type { DialRefusal } from './plan-grants.ts';
import type { DialStore } from './ports.ts';

const REFUSE = `
  UPDATE dial_requests r SET state = CASE given.reason WHEN 'withdrawn' THEN 'withdrawn' ELSE 'refused' END,
    reason = given.reason
  FROM unnest($1::text[], $2::text[]) AS given (id, reason) WHERE r.call_id = given.id::uuid`;

export const writeRefusals: DialStore['writeRefusals'] = async (tx, refusals, now) => {
  if (refusals.length === 0) return;
  await tx.$executeRawUnsafe(
    REFUSE,
    refusals.map(({ request }) => request.callId),
    refusals.map(({ reason }) => reason),
  );
  await enqueue(
    tx,
    refusals.flatMap((refusal) => toMessage(refusal, now)),
  );
  const single = refusals.filter(({ request }) => request.campaign === null);
  await endSingleCalls(tx, new Map(single.map(({ request, reason }) => [request.callId, reason])), now);
};

function toMessage({ request, reason }: DialRefusal, occurredAt: Date) {
  const { campaign, callId, workspaceId } = request;
  if (!campaign || reason === 'assistant_unreachable') return [];
  const { campaignId, contactId } = campaign;
  const data = { call_id: callId, campaign_id: campaignId, contact_id: contactId, reason };
  return [{ type: 'dial.refused' as const, workspaceId, occurredAt, data }];
}

/** The timeline tells the reason, where the calls themselves say `dial_failed` or `error` alone [calls.11]. */
async function endSingleCalls(
  tx: Sql,
  reasons: ReadonlyMap<string, DialRefusal['reason']>,
  now: Date,
): Promise<void> {
  if (reasons.size === 0) return;
  const rows = await tx.$queryRawUnsafe<CallRow[]>(
    `SELECT ${CALL_COLUMNS} FROM calls WHERE id = ANY ($1::uuid[]) AND phase = 'queued' FOR UPDATE`,
    [...reasons.keys()],
  );
  const changes = rows.map(toCall).map((call) => {
    const cause = reasons.get(call.id) ?? 'withdrawn';
    const { state, news } = endUntouched(
      call,
      cause === 'assistant_unreachable' ? 'failed' : 'withdrawn',
      now,
    );
    const timeline: TimelineEvent[] = [{ type: 'ended', at: now, detail: { cause } }];
    return { call, state, news, timeline, workerId: null };
  });
  await saveCalls(tx, changes, now);
}
