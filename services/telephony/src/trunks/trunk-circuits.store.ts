import { type SqlClient, sql } from '@parley/kit/db';

/** Opens the circuits of all numbers of a trunk that is down: their campaigns wait without trying each number [sip.35]. */
export async function openCircuits(
  tx: SqlClient,
  termination: string,
  { at, probeAt }: { at: Date; probeAt: Date },
): Promise<number> {
  return tx.$executeRaw(sql`
    INSERT INTO number_circuits AS c (phone_number_id, failures, last_failed_at, opened_at, openings, probe_at)
    SELECT id, 1, ${at}::timestamptz, ${at}::timestamptz, 1, ${probeAt}::timestamptz FROM phone_numbers
    WHERE termination = ${termination}::uuid ORDER BY id
    ON CONFLICT (phone_number_id) DO UPDATE SET failures = c.failures + 1, last_failed_at = excluded.last_failed_at,
      opened_at = excluded.opened_at, openings = 1, probe_at = excluded.probe_at
    WHERE c.opened_at IS NULL`);
}

/** Closes them when the trunk is back. */
export async function closeCircuits(tx: SqlClient, termination: string): Promise<number> {
  return tx.$executeRaw(sql`
    UPDATE number_circuits SET failures = 0, last_failed_at = NULL, opened_at = NULL, openings = 0, probe_at = NULL,
      probe_call_id = NULL
    WHERE opened_at IS NOT NULL AND phone_number_id IN (SELECT id FROM phone_numbers WHERE termination = ${termination}::uuid)`);
}
