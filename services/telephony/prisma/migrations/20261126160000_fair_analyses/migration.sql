-- no transaction
-- Analyses are claimed by workspace, the oldest of each first, so that the backlog of one delays no other.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "calls_workspace_analysis_due_idx" ON "calls" ("workspace_id", "analysis_due_at") WHERE "analysis_due_at" IS NOT NULL;
