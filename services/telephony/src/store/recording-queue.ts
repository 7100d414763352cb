import type { Sql } from '@parley/kit/db';
import type { RecordingQueue } from '../domain/recordings/ports.ts';
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
  WITH done AS (
    DELETE FROM recording_jobs WHERE call_id = $1::uuid AND attempts = $2 RETURNING call_id
  ), saved AS (
    UPDATE calls SET recording_key = $3::text, recording_sid = $4, analysis_due_at = $6::timestamptz,
      updated_at = $6::timestamptz
    WHERE id IN (SELECT call_id FROM done) RETURNING id, recording_key
  )
  INSERT INTO call_events (call_id, at, type, detail)
  SELECT id, $6::timestamptz, 'recording_stored', $5::json FROM saved WHERE recording_key IS NOT NULL`;

const POSTPONE = `
  UPDATE recording_jobs SET due_at = $3::timestamptz, lease_until = NULL WHERE call_id = $1::uuid AND attempts = $2`;

export function createRecordingQueue({ sql, workerId }: { sql: Sql; workerId: string }): RecordingQueue {
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

    finish: async ({ call, attempts }, stored, now) => {
      const detail = stored && { recording_sid: stored.sid, seconds: stored.seconds, bytes: stored.bytes };
      await sql.$executeRawUnsafe(
        FINISH,
        call.id,
        attempts,
        stored?.key ?? null,
        stored?.sid ?? null,
        JSON.stringify(detail ?? {}),
        now.toISOString(),
      );
    },

    postpone: async ({ call, attempts }, at) => {
      await sql.$executeRawUnsafe(POSTPONE, call.id, attempts, at.toISOString());
    },
  };
}
