-- Most reads want all types of calls: `call_totals` gets a row for them ('all'), which counts the types in columns, and histograms of fewer
-- buckets are read faster. Where calls have been counted already, they are counted again.
INSERT INTO uncounted_calls (call_id, workspace_id)
  SELECT id, workspace_id FROM calls WHERE status = 'completed' AND EXISTS (SELECT FROM call_totals) ON CONFLICT DO NOTHING;
TRUNCATE call_rollups, call_totals;
ALTER TABLE call_rollups ADD COLUMN inbound int NOT NULL, ADD COLUMN outbound int NOT NULL, ADD COLUMN web int NOT NULL;
ALTER TABLE call_totals ADD COLUMN inbound int NOT NULL, ADD COLUMN outbound int NOT NULL, ADD COLUMN web int NOT NULL;
