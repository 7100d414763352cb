-- The removal of a person (D12.10) or of a whole workspace (D12.15) from every service. No foreign key: the job of a
-- workspace outlives it.
CREATE TABLE removal_jobs (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('erasure', 'workspace')),
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'completed')),
  -- Sealed, and only until the job is completed.
  sealed_number text,
  -- HMAC-SHA256 of workspace and number under the server's pepper, hex: two jobs for one number don't run at once.
  number_mark text,
  number_ending text,
  keep_do_not_call boolean NOT NULL DEFAULT true,
  workspace_name text,
  requested_by text NOT NULL,
  -- Which service is being called, in which pass over all of them, and what the pass found.
  pass integer NOT NULL DEFAULT 1,
  service integer NOT NULL DEFAULT 0,
  found integer NOT NULL DEFAULT 0,
  waiting text,
  -- What the last complete pass waited for: shown to people.
  waiting_for text,
  receipt jsonb NOT NULL DEFAULT '{}',
  failures integer NOT NULL DEFAULT 0,
  -- By the database's own clock, as the lease.
  due_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  lease_until timestamptz(6),
  fence integer NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL,
  completed_at timestamptz(6)
);
CREATE INDEX removal_jobs_due_at_idx ON removal_jobs (due_at) WHERE status <> 'completed';
CREATE INDEX removal_jobs_workspace_id_created_at_id_idx ON removal_jobs (workspace_id, created_at, id);
CREATE UNIQUE INDEX removal_jobs_number_key ON removal_jobs (workspace_id, number_mark)
  WHERE status <> 'completed' AND kind = 'erasure';
CREATE UNIQUE INDEX removal_jobs_workspace_key ON removal_jobs (workspace_id) WHERE kind = 'workspace';

-- Set when its deletion begins: from then on it takes no keys and no members.
ALTER TABLE workspaces ADD COLUMN deleted_at timestamptz(6);
-- How far this service is with the removal of a person or a workspace (kit/removal): one row per job of the gateway.
CREATE TABLE "removals" (
  "id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "pass" integer NOT NULL,
  "step" integer NOT NULL DEFAULT 0,
  "cursor" text,
  -- Records that this pass has removed.
  "found" integer NOT NULL DEFAULT 0,
  -- What kept this pass from removing the rest.
  "waiting" text,
  -- Over all passes: records by place.
  "removed" jsonb NOT NULL DEFAULT '{}',
  "kept" jsonb NOT NULL DEFAULT '{}',
  "updated_at" timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "removals_pkey" PRIMARY KEY ("id")
);

-- The audit log is append-only but for retention, for the digits of a person who is erased, and for a workspace that is deleted.
CREATE OR REPLACE FUNCTION refuse_audit_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('parley.audit_retention', true) = 'on' THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND current_setting('parley.audit_erasure', true) = 'on' THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
