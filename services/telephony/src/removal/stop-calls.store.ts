import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import { halved, type RemovalStep, type RemovalTarget } from '@parley/kit/removal';
import type { Clock } from '@parley/kit/time';
import { writeRefusals } from '../dialer/dial-refusals.store.ts';
import { requestColumns, requestRow, toDialRequest } from '../dialer/dial-requests.store.ts';
import type { Call } from '../sessions/call.ts';
import { callColumns, callRow, toCall } from '../sessions/call-rows.store.ts';
import { createStoppableCalls } from '../sessions/call-stops.store.ts';
import { endUntouched } from '../sessions/end-untouched.ts';

export type StopDeps = { clock: Clock };

const BATCH = 100;

/** Withdraws waiting dials, ends calls that no worker holds, and hangs up calls in progress. */
export function stopSteps({ clock }: StopDeps): RemovalStep[] {
  const stops = createStoppableCalls();

  const refuseDials: RemovalStep = async (tx, { workspaceId, phoneNumber, halvings }, cursor) => {
    const batch = halved(BATCH, halvings);
    const rows = await queryRows(
      tx,
      requestRow,
      sql`SELECT ${requestColumns} FROM dial_requests
      WHERE state = 'waiting' AND workspace_id = ${workspaceId}::uuid
        AND (${phoneNumber}::text IS NULL OR to_number = ${phoneNumber})
      ORDER BY call_id LIMIT ${batch} FOR UPDATE`,
    );
    const refusals = rows.map((row) => ({ request: toDialRequest(row), reason: 'do_not_call' as const }));
    await writeRefusals(tx, refusals, clock.now());
    return {
      removed: { waiting_dials: rows.length },
      next: rows.length === batch ? (cursor ?? 'more') : null,
    };
  };

  const stopLive: RemovalStep = async (tx, target) => {
    const calls = await lockLiveCalls(tx, target, halved(BATCH, target.halvings));
    const now = clock.now();
    for (const call of calls) {
      if (call.state.phase === 'queued') await stops.end(tx, call, endUntouched(call, 'stopped', now), now);
      else await stops.request(tx, call, 'stopped', now);
    }
    return { next: null, waiting: calls.length > 0 ? 'the end of a call that is in progress' : null };
  };

  return [refuseDials, stopLive];
}

async function lockLiveCalls(
  tx: SqlClient,
  { workspaceId, phoneNumber }: RemovalTarget,
  limit: number,
): Promise<Call[]> {
  const rows = await queryRows(
    tx,
    callRow,
    sql`SELECT ${callColumns} FROM calls
    WHERE status <> 'completed' AND workspace_id = ${workspaceId}::uuid
      AND (${phoneNumber}::text IS NULL OR to_number = ${phoneNumber} OR from_number = ${phoneNumber})
    ORDER BY id LIMIT ${limit} FOR UPDATE`,
  );
  return rows.map(toCall);
}
