-- Recordings with audio whose transcripts are to be rebuilt, from the request until the transcript is stored. `failed`: the reason why
-- it can't be, for the request that waits for it. Leases are real time.
CREATE TABLE "transcription_jobs" (
  "call_id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "requested_at" timestamptz(6) NOT NULL,
  "due_at" timestamptz(6) NOT NULL,
  "attempts" integer NOT NULL DEFAULT 0,
  "worker_id" uuid,
  "lease_until" timestamptz(6),
  "failed" text,
  CONSTRAINT "transcription_jobs_pkey" PRIMARY KEY ("call_id")
);
CREATE INDEX "transcription_jobs_due_at_idx" ON "transcription_jobs" ("due_at") WHERE "failed" IS NULL;

-- The timeline also tells why a transcript was not rebuilt, and of pressed keys, which were missing here. The rows of before are of fewer
-- types, so they need no check.
ALTER TABLE "call_events" DROP CONSTRAINT "call_events_type_check";
ALTER TABLE "call_events" ADD CONSTRAINT "call_events_type_check" CHECK ("type" IN ('queued', 'dialing', 'ringing', 'answered', 'transfer',
  'machine_detected', 'dtmf', 'inbound_webhook', 'ended', 'recording_stored', 'analyzed', 'transcription_failed')) NOT VALID;
