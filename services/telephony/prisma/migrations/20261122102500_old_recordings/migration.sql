-- Recordings by the end of their calls: those that are kept no longer are looked for by it (RECORDINGS_KEEP_DAYS).
CREATE INDEX "calls_recorded_ended_at_idx" ON "calls" ("ended_at") WHERE "recording_key" IS NOT NULL;
