-- When a client asked for the end of a call (D6.2): whichever worker holds it looks for such calls of its own.
ALTER TABLE "calls" ADD COLUMN "stop_requested_at" timestamptz(6);
CREATE INDEX "calls_stop_requested_idx" ON "calls" ("worker_id")
  WHERE "stop_requested_at" IS NOT NULL AND "status" <> 'completed';
