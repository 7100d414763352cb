-- The audit log of all workspaces (D12.9): the gateway's own changes, and what other services publish as audit.recorded. `id` is the
-- message's id, so that a repeated message adds nothing. No foreign key: entries outlive what they are about.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  at timestamptz(6) NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  actor_name text,
  address text,
  request_id text,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  target_name text,
  changes jsonb NOT NULL
);
CREATE INDEX audit_log_workspace_id_at_id_idx ON audit_log (workspace_id, at DESC, id DESC);
CREATE INDEX audit_log_at_idx ON audit_log (at);

-- Append-only: nothing is changed, and deletions are left to retention, which says so in its transaction.
CREATE FUNCTION refuse_audit_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('parley.audit_retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_log_change();
CREATE TRIGGER audit_log_is_not_truncated BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_log_change();
