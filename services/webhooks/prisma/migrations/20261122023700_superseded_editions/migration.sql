-- Only the newest edition of an event is sent: older ones that are still pending would arrive after it. Those that are
-- just being attempted are closed by the record of that attempt.
UPDATE events e SET status = 'failed', reason = 'superseded', blocked = false, next_attempt_at = NULL, lease_until = NULL
WHERE e.status = 'pending' AND (e.lease_until IS NULL OR e.lease_until <= clock_timestamp())
  AND EXISTS (
    SELECT FROM events newer
    WHERE newer.call_id = e.call_id AND newer.event = e.event AND newer.edition > e.edition
  );
