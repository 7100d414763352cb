-- The sweep looks for sessions that are over, by either instant.
CREATE INDEX sessions_expires_at_idx ON sessions (expires_at);
