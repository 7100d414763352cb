-- no transaction
-- Claimed analyses and those whose workers crashed: few rows. A worker looks for due ones among them before each claim.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "calls_suspect_analysis_idx" ON "calls" ("analysis_due_at")
  WHERE "analysis_due_at" IS NOT NULL AND ("analysis_lease_until" IS NOT NULL OR ("crash_step" IS NOT DISTINCT FROM 'analysis' AND "step_crashes" > 0));
