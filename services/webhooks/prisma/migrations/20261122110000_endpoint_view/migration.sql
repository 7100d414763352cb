-- How a URL is doing is read from its last attempts, a hundred of each kind, by these: however many it had. Each attempt is
-- in one of the two. md5, since a URL may be longer than an index takes.
CREATE INDEX attempts_delivered_idx ON attempts (workspace_id, md5(url), started_at DESC) WHERE reason = 'delivered';
CREATE INDEX attempts_failed_idx ON attempts (workspace_id, md5(url), started_at DESC) WHERE reason <> 'delivered';
-- What waits for a URL.
CREATE INDEX events_pending_idx ON events (workspace_id, agent_id) WHERE status = 'pending';
CREATE INDEX endpoints_workspace_idx ON endpoints (workspace_id) WHERE url IS NOT NULL;
