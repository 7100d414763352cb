-- Parts of recordings that a worker writes on its disk while a call runs: a row from before the file's creation until the file and
-- its copies in the bucket are removed. `stored`: the bucket has the whole of it; `doomed`: it is to be removed.
CREATE TABLE "recording_segments" (
  "id" uuid NOT NULL,
  "call_id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "worker_id" uuid NOT NULL,
  "start_ms" integer NOT NULL,
  "sample_rate" integer NOT NULL,
  "stored" boolean NOT NULL DEFAULT false,
  "doomed" boolean NOT NULL DEFAULT false,
  CONSTRAINT "recording_segments_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "recording_segments_call_id_idx" ON "recording_segments" ("call_id");
CREATE INDEX "recording_segments_workspace_id_idx" ON "recording_segments" ("workspace_id");
CREATE INDEX "recording_segments_doomed_idx" ON "recording_segments" ("worker_id") WHERE "doomed";
ALTER TABLE "recording_segments" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Attempts that ended because the store was not available, or the disk of a dead worker: they don't count as failures.
ALTER TABLE "recording_jobs" ADD COLUMN "waits" integer NOT NULL DEFAULT 0;
