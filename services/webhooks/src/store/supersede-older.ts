import type { Sql } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';

/**
 * Closes the pending editions older than this one: sent after it, the worse transcript would come last. One that is
 * just being attempted is let finish: its record, or its return, closes it and releases the newest. Needs the call's lock.
 */
export async function supersedeOlder(tx: Sql, callId: string, event: string, edition: number): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE events SET status = 'failed', reason = 'superseded', blocked = false, ready = false, next_attempt_at = NULL,
       lease_until = NULL
     WHERE call_id = $1::uuid AND event = $2 AND edition < $3 AND status = 'pending'
       AND (lease_until IS NULL OR lease_until <= ${DB_NOW})`,
    callId,
    event,
    edition,
  );
}
