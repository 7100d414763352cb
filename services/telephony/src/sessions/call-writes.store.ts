import type { NoteChange } from '@parley/kit/amqp';
import { createBatcher } from '@parley/kit/concurrency';
import { queryRows, type SqlClient, sql } from '@parley/kit/db';
import type { Log } from '@parley/kit/log';
import { messagesOf, type Outbox } from '@parley/kit/outbox';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import { z } from 'zod';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import { type CircuitRules, judgeDial } from '../dialer/circuit.ts';
import { anyFailing, applyVerdicts, type Verdict } from '../dialer/circuits.store.ts';
import { type Call, statusOf } from './call.ts';
import { type CallTimelineEvent, timelineRows } from './call-events.store.ts';
import { createCallHolders } from './call-holders.store.ts';
import { eventMessages } from './call-messages.ts';
import type { CallWrites, Change } from './ports.ts';
import type { WithoutErased } from './without-erased.ts';

const savedRow = z.object({ id: z.string() });

/** The change of a call; no worker: no worker has held the call. */
export type CallChange = Change & { call: Call; workerId: string | null };

/**
 * Writes states, timelines and messages of those calls that their writer still holds; returns their ids. An end makes the
 * analysis due [calls.13], or first the recording, if the call was answered and the assistant wants one. Of what a visitor wrote only
 * the turns remain: messages that the assistant has not heard are deleted unread. `tx` is a transaction if a web call ends.
 */
export async function saveCalls(
  tx: SqlClient,
  changes: readonly CallChange[],
  at: Date,
): Promise<Set<string>> {
  const json = JSON.stringify(changes.map(toRow));
  const messages = changes.flatMap((change) =>
    eventMessages(change.call, change).map((message) => ({ of: change.call.id, message })),
  );
  const rows = await queryRows(
    tx,
    savedRow,
    sql`
  WITH saved AS (
    UPDATE calls c SET status = given.status, phase = given.phase, call_sid = given.call_sid,
      started_at = given.started_at, answered_at = given.answered_at, ended_at = given.ended_at,
      duration = given.duration, cost = given.cost, disconnection_reason = given.reason,
      machine_detected = given.machine, voicemail_message_left = given.message_left, retryable = given.retryable,
      analysis_due_at = CASE WHEN given.answered_at IS NULL OR given.unrecorded THEN given.ended_at END,
      model_state = CASE WHEN given.status <> 'completed' THEN c.model_state END,
      carrier_state = CASE WHEN given.status <> 'completed' THEN c.carrier_state END, updated_at = ${at.toISOString()}::timestamptz
    FROM json_to_recordset(${json}::json) AS given (id uuid, worker_id uuid, fence int, status text, phase text,
      call_sid text, started_at timestamptz, answered_at timestamptz, ended_at timestamptz, duration int, cost int,
      reason text, machine boolean, message_left boolean, retryable boolean, unrecorded boolean)
    WHERE c.id = given.id AND c.worker_id IS NOT DISTINCT FROM given.worker_id AND c.fence = given.fence
      AND c.status <> 'completed'
    RETURNING c.id, c.analysis_due_at, c.ended_at, c.workspace_id, c.cost
  ), spent AS (
    INSERT INTO daily_spend AS d (workspace_id, day, cents)
    SELECT workspace_id, (ended_at AT TIME ZONE 'UTC')::date, sum(cost) FROM saved WHERE ended_at IS NOT NULL AND cost > 0
    GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (workspace_id, day) DO UPDATE SET cents = d.cents + EXCLUDED.cents
  ), to_record AS (
    INSERT INTO recording_jobs (call_id, workspace, due_at)
    SELECT id, workspace_id, ended_at FROM saved WHERE analysis_due_at IS NULL AND ended_at IS NOT NULL
  ), recorded AS (
    INSERT INTO call_events (call_id, at, type, detail)
    SELECT call_id, at, type, detail FROM ${timelineRows(changes.flatMap(toTimelineEvents))} WHERE call_id IN (SELECT id FROM saved) ORDER BY n
  ), published AS (${messagesOf(tx, messages, sql`SELECT id FROM saved`)})
  SELECT id::text FROM saved`,
  );
  const saved = new Set(rows.map(({ id }) => id));
  const written = changes.filter((change) => endsWebCall(change) && saved.has(change.call.id));
  // A statement of its own sees the messages of transactions that the update of the call waited for.
  if (written.length > 0)
    await tx.$executeRaw(
      sql`DELETE FROM web_messages WHERE call_id = ANY (${written.map(({ call }) => call.id)}::uuid[])`,
    );
  return saved;
}

export function createCallWrites<Tx extends SqlClient>(deps: {
  sql: SqlClient;
  outbox: Outbox<Tx>;
  clock: Clock;
  log: Log;
  circuitRules: CircuitRules;
  withoutErased: WithoutErased;
  /** An end is committed. */
  onEnded: (reason: string) => void;
  noteChange: NoteChange;
}): CallWrites {
  const { outbox, clock, log, circuitRules, onEnded, noteChange } = deps;
  const note = ({ id, workspaceId, campaign }: Call, what: string): void => {
    const of = campaign ? { campaign_id: campaign.campaignId } : {};
    noteChange(workspaceId, { type: 'call', id, what, at: toIsoMillis(clock.now()), ...of });
  };
  /** Without the numbers that were erased since its worker read the call. */
  const current = async (change: CallChange): Promise<CallChange> => {
    const { call, timeline } = change;
    const details = timeline.map((event) => ('detail' in event ? event.detail : null));
    const masked = await deps.withoutErased(call, { variables: call.dynamicVariables, details });
    return {
      ...change,
      call: { ...call, dynamicVariables: masked.variables },
      timeline: timeline.map((event, n) => {
        const detail = masked.details[n];
        return detail ? ({ ...event, detail } as TimelineEvent) : event;
      }),
    };
  };
  const save = createBatcher(async (given: CallChange[]) => {
    const changes = await Promise.all(given.map(current));
    const saved =
      changes.some(endsWebCall) || (await mayTurnCircuits(changes))
        ? await outbox.transaction(saveWithCircuits(changes))
        : await saveAlone(changes);
    for (const { call, state } of changes) {
      if (state.phase === 'ringing' && saved.has(call.id)) note(call, 'ringing');
      if (state.phase === 'ended' && saved.has(call.id)) onEnded(state.reason ?? 'error');
    }
    return changes.map(({ call }) => saved.has(call.id));
  });
  /** The outcomes of most dials change no circuit: one statement saves their calls. */
  const mayTurnCircuits = async (changes: readonly CallChange[]): Promise<boolean> => {
    const verdicts = changes.flatMap((change) => toVerdict(change, clock.now()));
    return verdicts.some(({ verdict }) => verdict === 'failed') || anyFailing(deps.sql, verdicts);
  };
  const saveAlone = async (changes: readonly CallChange[]): Promise<Set<string>> => {
    const saved = await saveCalls(deps.sql, changes, clock.now());
    if (changes.some(({ events }) => events.length > 0)) outbox.wake();
    return saved;
  };
  const saveWithCircuits = (changes: CallChange[]) => async (tx: SqlClient) => {
    const at = clock.now();
    const saved = await saveCalls(tx, changes, at);
    const verdicts = changes
      .filter(({ call }) => saved.has(call.id))
      .flatMap((change) => toVerdict(change, at));
    for (const change of await applyVerdicts(tx, verdicts, circuitRules)) {
      log.warn(change, 'number circuit changed state');
      const { phoneNumberId: id, isOpen } = change;
      const of = changes.find(({ call }) => call.phoneNumberId === id)?.call;
      const what = isOpen ? 'circuit_opened' : 'circuit_closed';
      if (!of) continue;
      noteChange(of.workspaceId, { type: 'phone_number', id, what, at: toIsoMillis(at) });
      noteChange(of.workspaceId, { type: 'attention', id: of.workspaceId, what, at: toIsoMillis(at) });
    }
    return saved;
  };
  return {
    save: ({ workerId }, call, change) => save({ ...change, call, workerId }),
    holds: createCallHolders(deps.sql),
  };
}

function endsWebCall({ call, state }: CallChange): boolean {
  return call.callType === 'web' && state.endedAt !== null;
}

function toVerdict({ call, ...change }: CallChange, at: Date): Verdict[] {
  const verdict = judgeDial(call, change);
  const { id: callId, phoneNumberId } = call;
  return verdict && phoneNumberId ? [{ phoneNumberId, callId, verdict, at }] : [];
}

function toTimelineEvents({ call, timeline }: CallChange): CallTimelineEvent[] {
  return timeline.map((event) => ({ callId: call.id, ...event }));
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
