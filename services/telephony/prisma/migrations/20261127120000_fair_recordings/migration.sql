-- Recordings are claimed by workspace, the oldest of each first, so that the backlog of one delays no other. The column is not called
-- workspace_id, which the claim of the previous version would find in two tables. Jobs which that version adds have the nil workspace,
-- which takes turns like any other.
ALTER TABLE "recording_jobs" ADD COLUMN "workspace" uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
CREATE INDEX "recording_jobs_workspace_due_idx" ON "recording_jobs" ("workspace", "due_at");
