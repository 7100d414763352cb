import { type SqlClient, type Statement, sql } from '@parley/kit/db';
import type { TimelineEvent } from '../calls/timeline/timeline-event.ts';
import { storableJson } from './storable.ts';

export type CallTimelineEvent = { callId: string } & TimelineEvent;

/** Timeline events as rows `(call_id, at, type, detail, n)`, in their order `n`. */
export function timelineRows(timeline: readonly CallTimelineEvent[]): Statement {
  const json = storableJson(
    timeline.map(({ callId, at, type, ...rest }) => ({
      call_id: callId,
      at: at.toISOString(),
      type,
      detail: 'detail' in rest ? rest.detail : {},
    })),
  );
  return sql`ROWS FROM (json_to_recordset(${json}::json) AS (call_id uuid, at timestamptz, type text, detail json))
    WITH ORDINALITY AS entries (call_id, at, type, detail, n)`;
}

/** Adds an entry to a call's timeline, in the transaction of the change that it reports [calls.11]. */
export async function recordCallEvent(tx: SqlClient, event: CallTimelineEvent): Promise<void> {
  await recordCallEvents(tx, [event]);
}

export async function recordCallEvents(tx: SqlClient, timeline: readonly CallTimelineEvent[]): Promise<void> {
  if (timeline.length === 0) return;
  await tx.$executeRaw(sql`INSERT INTO call_events (call_id, at, type, detail)
    SELECT call_id, at, type, detail FROM ${timelineRows(timeline)} ORDER BY n`);
}
