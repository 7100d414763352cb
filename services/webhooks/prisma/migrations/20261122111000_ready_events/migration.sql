-- Due, and nobody's: the claim looks at these alone, so that it costs the same whatever waits for its time or its turn.
-- What is due and isn't marked yet is marked by the next deliverer.
ALTER TABLE events ADD COLUMN ready boolean NOT NULL DEFAULT false;
DROP INDEX events_due_idx;
DROP INDEX events_next_due_idx;
CREATE INDEX events_ready_idx ON events (workspace_id, agent_id, next_attempt_at, id)
  WHERE ready AND status = 'pending' AND lease_until IS NULL;
CREATE INDEX events_waiting_idx ON events (next_attempt_at)
  WHERE NOT ready AND status = 'pending' AND lease_until IS NULL;
-- An edition that waits for an older one's attempt was put off for a day; now it isn't marked until then.
UPDATE events e SET next_attempt_at = greatest(hold_until, created_at)
WHERE status = 'pending' AND blocked AND edition > 1;
-- Every event is written three times within seconds.
ALTER TABLE events SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Its last attempt had no answer in time: it gets one attempt at a time until one is answered.
ALTER TABLE endpoints ADD COLUMN unresponsive boolean NOT NULL DEFAULT false;
