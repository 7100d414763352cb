import { gather, type Sql } from '@parley/kit/db';
import type { DueRecording, RecordingQueue, StoredRecording } from '../domain/recordings/ports.ts';
import { CALL_COLUMNS, type CallRow, toCall } from './call-rows.ts';

/** How long a claim of a worker that lives holds, by the database's clock: longer than the longest recording takes. */
const CLAIM_MINUTES = 20;

const CLAIM = `
  UPDATE recording_jobs j SET worker_id = $3::uuid, attempts = attempts + 1,
    lease_until = clock_timestamp() + interval '${CLAIM_MINUTES} minutes'
  FROM calls c
  WHERE c.id = j.call_id AND j.call_id = ANY (ARRAY (
    SELECT call_id FROM recording_jobs due
    WHERE due_at <= $1::timestamptz
      AND (lease_until IS NULL OR lease_until < clock_timestamp()
        OR NOT EXISTS (SELECT FROM call_workers w WHERE w.id = due.worker_id AND w.expires_at > clock_timestamp()))
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
  ))
  RETURNING ${CALL_COLUMNS}, attempts`;

/** One statement, which is a transaction by itself. No key: there is no recording. */
const FINISH = `
  WITH given AS (
    SELECT * FROM json_to_recordset($1::json) AS row (call_id uuid, attempts int, key text, sid text, detail json,
      at timestamptz)
  ), done AS (
    DELETE FROM recording_jobs j USING given WHERE j.call_id = given.call_id AND j.attempts = given.attempts
    RETURNING given.*
  ), saved AS (
    UPDATE calls c SET recording_key = done.key, recording_sid = done.sid, analysis_due_at = done.at, updated_at = done.at
    FROM done WHERE c.id = done.call_id
    RETURNING c.id, done.at, done.detail, done.key
  )
  INSERT INTO call_events (call_id, at, type, detail)
  SELECT id, at, 'recording_stored', detail FROM saved WHERE key IS NOT NULL`;

const POSTPONE = `
  UPDATE recording_jobs SET due_at = $3::timestamptz, lease_until = NULL WHERE call_id = $1::uuid AND attempts = $2`;

export function createRecordingQueue({ sql, workerId }: { sql: Sql; workerId: string }): RecordingQueue {
  const finish = gather(async (finished: Finished[]) => {
    await sql.$executeRawUnsafe(FINISH, JSON.stringify(finished.map(toRow)));
    return finished.map(() => undefined);
  });
  return {
    claim: async (now, most) => {
      const rows = await sql.$queryRawUnsafe<(CallRow & { attempts: number })[]>(
        CLAIM,
        now.toISOString(),
        most,
        workerId,
      );
      return rows.map((row) => ({ call: toCall(row), attempts: row.attempts }));
    },

    finish: (due, stored, now) => finish({ due, stored, now }),

    postpone: async ({ call, attempts }, at) => {
      await sql.$executeRawUnsafe(POSTPONE, call.id, attempts, at.toISOString());
    },
  };
}

type Finished = { due: DueRecording; stored: StoredRecording | null; now: Date };

function toRow({ due: { call, attempts }, stored, now }: Finished) {
  const detail = stored && { recording_sid: stored.sid, seconds: stored.seconds, bytes: stored.bytes };
  return {
    call_id: call.id,
    attempts,
    key: stored?.key ?? null,
    sid: stored?.sid ?? null,
    detail,
    at: now.toISOString(),
  };
}
