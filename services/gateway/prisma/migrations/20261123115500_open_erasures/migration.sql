-- The oldest erasures of a workspace that are not completed: they alone take turns with the jobs of others.
CREATE INDEX removal_jobs_open_erasures_idx ON removal_jobs (workspace_id, created_at, id)
  WHERE status <> 'completed' AND kind = 'erasure';
