-- Recordings that are to be made of calls that are over: a row from the end of the call until its recording is stored or
-- given up, which then makes the analysis due. Leases are real time.
CREATE TABLE "recording_jobs" (
  "call_id" uuid NOT NULL,
  "due_at" timestamptz(6) NOT NULL,
  "attempts" integer NOT NULL DEFAULT 0,
  "worker_id" uuid,
  "lease_until" timestamptz(6),
  CONSTRAINT "recording_jobs_pkey" PRIMARY KEY ("call_id")
);
CREATE INDEX "recording_jobs_due_at_idx" ON "recording_jobs" ("due_at");
-- A table that empties itself all the time has to be vacuumed by the number of rows that passed, not by its size.
ALTER TABLE "recording_jobs" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Five transcript fixes per call, whoever asks at the same moment (D6.8).
ALTER TABLE "calls" ADD CONSTRAINT "calls_transcript_fix_count_check" CHECK ("transcript_fix_count" BETWEEN 0 AND 5);
