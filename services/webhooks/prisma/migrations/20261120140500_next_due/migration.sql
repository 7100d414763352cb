-- When the next event is due: asked after each claim, whatever the number of endpoints and the length of their backlogs.
CREATE INDEX events_next_due_idx ON events (next_attempt_at) WHERE status = 'pending';
