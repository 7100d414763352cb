-- Apart from the new column, whose lock would keep the workers from all jobs until every one of them is updated.
UPDATE "recording_jobs" j SET "workspace" = c."workspace_id" FROM "calls" c WHERE c."id" = j."call_id";
