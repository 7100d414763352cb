-- Calls wait for figures by disconnection reason in a table of their own: the version before takes calls from `uncounted_calls`, beside this
-- one during an upgrade, and adds them to the other rollups only. The lock waits for transactions that end calls by the function of before;
-- all later ones note their calls here, too.
-- The version before is the one without call_outcomes. Builds between 20261129080000 and this migration, which were never released, fill it: stop
-- them first. What they have counted is counted again.
TRUNCATE call_outcomes;
LOCK TABLE calls IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE uncounted_outcomes (
  call_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX uncounted_outcomes_workspace_id_idx ON uncounted_outcomes (workspace_id);

CREATE OR REPLACE FUNCTION note_completed_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_calls (call_id, workspace_id) VALUES (NEW.id, NEW.workspace_id) ON CONFLICT DO NOTHING;
  INSERT INTO uncounted_outcomes (call_id, workspace_id) VALUES (NEW.id, NEW.workspace_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
