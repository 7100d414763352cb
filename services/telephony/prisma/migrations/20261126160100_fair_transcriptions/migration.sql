-- The same for transcriptions. The indexes by due time alone have no reader any more.
DROP INDEX "calls_analysis_due_idx";
CREATE INDEX "transcription_jobs_workspace_due_idx" ON "transcription_jobs" ("workspace_id", "due_at") WHERE "failed" IS NULL;
DROP INDEX "transcription_jobs_due_at_idx";
