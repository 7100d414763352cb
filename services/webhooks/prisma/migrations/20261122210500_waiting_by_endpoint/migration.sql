-- The index of all that is pending was written with every event and every claim, and where few are pending the planner took
-- it for the shortest way to a single one, also long after many were. What waits for a URL is counted by the three
-- indexes that between them have each pending event once: ready, leased, and this one, of what is not due or not marked yet.
-- By it, too, each endpoint's oldest are marked in turn where more is due than is marked at once.
DROP INDEX events_pending_idx;
CREATE INDEX events_waiting_by_endpoint_idx ON events (workspace_id, agent_id, next_attempt_at)
  WHERE NOT ready AND status = 'pending' AND lease_until IS NULL;
