import type { Sql } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';

// The order of a call's events and of the editions of one event. Every function here needs the call's lock.

/**
 * Closes the pending editions older than this one: sent after it, the worse transcript would come last. One that is
 * just being attempted is let finish: its record, or its return, closes it and releases the newest.
 */
export async function supersedeOlder(tx: Sql, callId: string, event: string, edition: number): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE events SET status = 'failed', reason = 'superseded', blocked = false, next_attempt_at = NULL, lease_until = NULL
     WHERE call_id = $1::uuid AND event = $2 AND edition < $3 AND status = 'pending'
       AND (lease_until IS NULL OR lease_until <= ${DB_NOW})`,
    callId,
    event,
    edition,
  );
}

export async function hasNewerEdition(tx: Sql, eventId: string): Promise<boolean> {
  const found = await tx.$queryRawUnsafe<unknown[]>(
    `SELECT 1 FROM events e JOIN events newer USING (call_id, event)
     WHERE e.id = $1::uuid AND newer.edition > e.edition LIMIT 1`,
    eventId,
  );
  return found.length > 0;
}

/** The event of the call that waited for the one that is finished now: due at once, if nothing else is before it. */
export async function releaseNext(tx: Sql, callId: string, now: Date): Promise<void> {
  // An edition that waited for an older one's attempt has its hold alone to wait for.
  await tx.$executeRawUnsafe(
    `UPDATE events e SET next_attempt_at = greatest(hold_until, $2::timestamptz)
     WHERE call_id = $1::uuid AND status = 'pending' AND blocked AND edition > 1
       AND next_attempt_at > greatest(hold_until, $2::timestamptz)
       AND NOT EXISTS (
         SELECT FROM events older WHERE older.call_id = e.call_id AND older.event = e.event
           AND older.edition < e.edition AND older.status = 'pending'
       )`,
    callId,
    now,
  );
  await tx.$executeRawUnsafe(
    `UPDATE events SET blocked = false, next_attempt_at = $2::timestamptz
     WHERE id = (
       SELECT id FROM events e
       WHERE e.call_id = $1::uuid AND e.status = 'pending'
       ORDER BY e.position, e.edition LIMIT 1
     ) AND blocked
       -- call_ended may have been finished by its hold before call_started ever came.
       AND (position < 3 OR EXISTS (
         SELECT FROM events e WHERE e.call_id = $1::uuid AND e.position = 2 AND e.status <> 'pending'
       ))`,
    callId,
    now,
  );
}
