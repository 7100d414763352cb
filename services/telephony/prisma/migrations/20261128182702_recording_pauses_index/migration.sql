-- no transaction
-- Workers look for requests to pause recordings of their own calls.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "calls_recording_pause_idx" ON "calls" ("worker_id")
  WHERE "recording_pause" IN ('pausing', 'resuming') AND "status" <> 'completed';
