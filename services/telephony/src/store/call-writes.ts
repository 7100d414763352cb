import type { Sql } from '@parley/kit/db';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { type Call, type CallState, statusOf } from '../domain/calls/call.ts';
import { newsMessages } from '../domain/calls/call-messages.ts';
import type { CallWrites } from '../domain/calls/ports.ts';

const SAVE = `
  UPDATE calls SET status = $4, phase = $5, call_sid = $6, started_at = $7::timestamptz, answered_at = $8::timestamptz,
    ended_at = $9::timestamptz, duration = $10, cost = $11, disconnection_reason = $12, machine_detected = $13,
    voicemail_message_left = $14, retryable = $15, analysis_due_at = $9::timestamptz, updated_at = $16::timestamptz
  WHERE id = $1::uuid AND worker_id IS NOT DISTINCT FROM $2::uuid AND fence = $3 AND status <> 'completed'`;

/** Writes a state, if the call is still its writer's. An end makes the analysis due at once (D6.7). */
export async function saveCallState(
  sql: Sql,
  { call, state, workerId, at }: { call: Call; state: CallState; workerId: string | null; at: Date },
): Promise<boolean> {
  const iso = (date: Date | null): string | null => date?.toISOString() ?? null;
  const updated = await sql.$executeRawUnsafe(
    SAVE,
    call.id,
    workerId,
    call.fence,
    statusOf(state.phase),
    state.phase,
    state.callSid,
    iso(state.startedAt),
    iso(state.answeredAt),
    iso(state.endedAt),
    state.duration,
    state.cost,
    state.reason,
    state.machineDetected,
    state.voicemailMessageLeft,
    state.retryable,
    at.toISOString(),
  );
  return updated === 1;
}

export function createCallWrites<Tx extends Sql>(deps: {
  sql: Sql;
  outbox: Outbox<Tx>;
  clock: Clock;
}): CallWrites {
  const { sql, outbox, clock } = deps;
  return {
    save: async ({ workerId }, call, state, news) => {
      const change = { call, state, workerId, at: clock.now() };
      // A change that nobody is told of is a transaction by itself.
      if (news.length === 0) return saveCallState(sql, change);
      return outbox.transaction(async (tx) => {
        if (!(await saveCallState(tx, change))) return false;
        await enqueue(tx, newsMessages(call, state, news));
        return true;
      });
    },
  };
}
