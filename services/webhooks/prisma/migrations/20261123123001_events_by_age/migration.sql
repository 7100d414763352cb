-- no transaction
-- Events of a workspace by their age.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "events_workspace_id_created_at_idx" ON "events" ("workspace_id", "created_at");
