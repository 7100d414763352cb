import type { Sql } from '@parley/kit/db';
import { DB_NOW } from '@parley/kit/time';

/** An event of a call in one of its editions. */
export type Edition = { callId: string; event: string; edition: number };

const SUPERSEDE = `
UPDATE events e SET status = 'failed', reason = 'superseded', blocked = false, ready = false, next_attempt_at = NULL,
  lease_until = NULL
FROM unnest($1::uuid[], $2::text[], $3::int[]) AS newest (call_id, event, edition)
WHERE e.call_id = newest.call_id AND e.event = newest.event AND e.edition < newest.edition AND e.status = 'pending'
  AND (e.lease_until IS NULL OR e.lease_until <= ${DB_NOW})`;

/**
 * Closes the pending editions older than these: sent after them, the worse transcript would come last. One that is
 * just being attempted is let finish: its record, or its return, closes it and releases the newest. Needs the locks of
 * the calls.
 */
export async function supersedeOlder(tx: Sql, newest: readonly Edition[]): Promise<void> {
  const later = newest.filter(({ edition }) => edition > 1);
  if (later.length === 0) return;
  await tx.$executeRawUnsafe(
    SUPERSEDE,
    later.map(({ callId }) => callId),
    later.map(({ event }) => event),
    later.map(({ edition }) => edition),
  );
}
