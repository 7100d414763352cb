-- The events of a workspace that were given up, for what needs attention: few, among all that were delivered.
CREATE INDEX events_exhausted_idx ON events (workspace_id, created_at)
  WHERE status = 'failed' AND reason NOT IN ('superseded', 'no_webhook_url');
