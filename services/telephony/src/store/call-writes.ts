import { gather, type Sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import { enqueue, type Outbox } from '@parley/kit/outbox';
import type { Clock } from '@parley/kit/time';
import { type Call, statusOf } from '../domain/calls/call.ts';
import { newsMessages } from '../domain/calls/call-messages.ts';
import type { CallWrites, Change } from '../domain/calls/ports.ts';
import { type CircuitRules, judgeDial } from '../domain/dialing/circuit.ts';
import { type CallHappening, happeningRows, happeningsFrom } from './call-events.ts';
import { createCallHolders } from './call-holders.ts';
import { heedVerdicts, type Verdict } from './circuits.ts';

const SAVE = `
  WITH saved AS (
    UPDATE calls c SET status = given.status, phase = given.phase, call_sid = given.call_sid,
      started_at = given.started_at, answered_at = given.answered_at, ended_at = given.ended_at,
      duration = given.duration, cost = given.cost, disconnection_reason = given.reason,
      machine_detected = given.machine, voicemail_message_left = given.message_left, retryable = given.retryable,
      analysis_due_at = CASE WHEN given.answered_at IS NULL OR given.unrecorded THEN given.ended_at END, updated_at = $2::timestamptz
    FROM json_to_recordset($1::json) AS given (id uuid, worker_id uuid, fence int, status text, phase text,
      call_sid text, started_at timestamptz, answered_at timestamptz, ended_at timestamptz, duration int, cost int,
      reason text, machine boolean, message_left boolean, retryable boolean, unrecorded boolean)
    WHERE c.id = given.id AND c.worker_id IS NOT DISTINCT FROM given.worker_id AND c.fence = given.fence
      AND c.status <> 'completed'
    RETURNING c.id, c.analysis_due_at, c.ended_at
  ), to_record AS (
    INSERT INTO recording_jobs (call_id, due_at)
    SELECT id, ended_at FROM saved WHERE analysis_due_at IS NULL AND ended_at IS NOT NULL
  ), told AS (
    INSERT INTO call_events (call_id, at, type, detail)
    SELECT call_id, at, type, detail FROM ${happeningsFrom('$3')} WHERE call_id IN (SELECT id FROM saved) ORDER BY n
  )
  SELECT id::text FROM saved`;

/** The change of a call; no worker: the call was never in anybody's hands. */
export type CallChange = Change & { call: Call; workerId: string | null };

/**
 * Writes states, timelines and messages, of those calls that are still their writer's; answers with the ids of these.
 * An end makes the analysis due at once (D6.7), or first the recording, where somebody was on the line and the assistant
 * wants one.
 */
export async function saveCalls(tx: Sql, changes: readonly CallChange[], at: Date): Promise<Set<string>> {
  const json = JSON.stringify(changes.map(toRow));
  const told = happeningRows(changes.flatMap(toHappenings));
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(SAVE, json, at.toISOString(), told);
  const saved = new Set(rows.map(({ id }) => id));
  await enqueue(
    tx,
    changes.flatMap((change) => (saved.has(change.call.id) ? newsMessages(change.call, change) : [])),
  );
  return saved;
}

export function createCallWrites<Tx extends Sql>(deps: {
  sql: Sql;
  outbox: Outbox<Tx>;
  clock: Clock;
  log: Log;
  circuitRules: CircuitRules;
  /** An end is written. */
  onEnded: (reason: string) => void;
}): CallWrites {
  const { sql, outbox, clock, log, circuitRules, onEnded } = deps;
  const save = gather(async (changes: CallChange[]) => {
    // Changes that nobody is told of are one statement, which is a transaction by itself.
    const silent = changes.every(({ news }) => news.length === 0);
    const saved = silent
      ? await saveCalls(sql, changes, clock.now())
      : await outbox.transaction(saveTold(changes));
    for (const { call, state } of changes) {
      if (state.phase === 'ended' && saved.has(call.id)) onEnded(state.reason ?? 'error');
    }
    return changes.map(({ call }) => saved.has(call.id));
  });
  const saveTold = (changes: CallChange[]) => async (tx: Sql) => {
    const at = clock.now();
    const saved = await saveCalls(tx, changes, at);
    const verdicts = changes
      .filter(({ call }) => saved.has(call.id))
      .flatMap((change) => toVerdict(change, at));
    for (const turned of await heedVerdicts(tx, verdicts, circuitRules)) {
      log.warn(turned, 'the circuit of a number has turned');
    }
    return saved;
  };
  return {
    save: ({ workerId }, call, change) => save({ ...change, call, workerId }),
    holds: createCallHolders(sql),
  };
}

function toVerdict({ call, ...change }: CallChange, at: Date): Verdict[] {
  const verdict = judgeDial(call, change);
  const { id: callId, phoneNumberId } = call;
  return verdict && phoneNumberId ? [{ phoneNumberId, callId, verdict, at }] : [];
}

function toHappenings({ call, happenings }: CallChange): CallHappening[] {
  return happenings.map((happening) => ({ callId: call.id, ...happening }));
}

function toRow({ call, state, unrecorded = false, workerId }: CallChange) {
  return {
    id: call.id,
    worker_id: workerId,
    fence: call.fence,
    status: statusOf(state.phase),
    phase: state.phase,
    call_sid: state.callSid,
    started_at: state.startedAt,
    answered_at: state.answeredAt,
    ended_at: state.endedAt,
    duration: state.duration,
    cost: state.cost,
    reason: state.reason,
    machine: state.machineDetected,
    message_left: state.voicemailMessageLeft,
    retryable: state.retryable,
    unrecorded,
  };
}
