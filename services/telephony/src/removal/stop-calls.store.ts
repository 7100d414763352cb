import type { Sql } from '@parley/kit/db';
import type { RemovalStep, RemovalTarget } from '@parley/kit/removal';
import type { Clock } from '@parley/kit/time';
import { writeRefusals } from '../dialer/dial-refusals.store.ts';
import { type RequestRow, toWaitingDial } from '../dialer/dial-rows.store.ts';
import { CALL_COLUMNS, type CallRow, toCall } from '../sessions/call-rows.store.ts';
import { createStoppableCalls } from '../sessions/call-stops.store.ts';
import { endUntouched } from '../sessions/end-untouched.ts';

export type StopDeps = { clock: Clock };

const BATCH = 100;
const WAITING = `
  SELECT call_id::text, workspace_id::text, phone_number_id::text, agent_id::text, to_number, dynamic_variables,
    requested_at, campaign_id::text, contact_id::text, generation, not_after
  FROM dial_requests
  WHERE state = 'waiting' AND workspace_id = $1::uuid AND ($2::text IS NULL OR to_number = $2)
  ORDER BY call_id LIMIT ${BATCH} FOR UPDATE`;
const LIVE = `
  SELECT ${CALL_COLUMNS} FROM calls
  WHERE status <> 'completed' AND workspace_id = $1::uuid
    AND ($2::text IS NULL OR to_number = $2 OR from_number = $2)
  ORDER BY id LIMIT ${BATCH} FOR UPDATE`;

/** Withdraws waiting dials, ends calls that no worker holds, and hangs up calls in progress. */
export function stopSteps({ clock }: StopDeps): RemovalStep[] {
  const stops = createStoppableCalls();

  const refuseDials: RemovalStep = async (tx, { workspaceId, phoneNumber }, cursor) => {
    const rows = await tx.$queryRawUnsafe<RequestRow[]>(WAITING, workspaceId, phoneNumber);
    const refusals = rows.map((row) => ({ request: toWaitingDial(row), reason: 'do_not_call' as const }));
    await writeRefusals(tx, refusals, clock.now());
    return {
      removed: { waiting_dials: rows.length },
      next: rows.length === BATCH ? (cursor ?? 'more') : null,
    };
  };

  const stopLive: RemovalStep = async (tx, target) => {
    const calls = (await liveCalls(tx, target)).map(toCall);
    const now = clock.now();
    for (const call of calls) {
      if (call.state.phase === 'queued') await stops.end(tx, call, endUntouched(call, 'stopped', now), now);
      else await stops.request(tx, call, now);
    }
    return { next: null, waiting: calls.length > 0 ? 'the end of a call that is in progress' : null };
  };

  return [refuseDials, stopLive];
}

const liveCalls = (tx: Sql, { workspaceId, phoneNumber }: RemovalTarget): Promise<CallRow[]> =>
  tx.$queryRawUnsafe<CallRow[]>(LIVE, workspaceId, phoneNumber);
