-- no transaction
-- Requests that never became calls, by their age: few among many, and written once.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "dial_requests_undialled_idx" ON "dial_requests" ("workspace_id", "requested_at")
  WHERE "state" IN ('withdrawn', 'refused');
