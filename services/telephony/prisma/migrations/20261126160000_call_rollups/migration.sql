-- Figures of completed calls by the span of time in which they were created: quarter hours, hours and so on up to 64 days, all counted from
-- the epoch in UTC. Days of every time zone consist of such spans, and a year of few of them.

-- By resource, too. Zeros stand for no number and no campaign.
CREATE TABLE call_rollups (
  workspace_id uuid NOT NULL,
  span_minutes int NOT NULL,
  starts_at timestamptz(6) NOT NULL,
  agent_id uuid NOT NULL,
  phone_number_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  call_type text NOT NULL,
  calls int NOT NULL,
  answered int NOT NULL,
  successful int NOT NULL,
  duration bigint NOT NULL,
  cost bigint NOT NULL,
  -- Calls by disconnection reason, in the order of DISCONNECTION_REASONS.
  outcomes int[] NOT NULL,
  -- Answers by voice with a latency, the sum of the latencies, and a histogram of them (latency-buckets.ts).
  turns bigint NOT NULL,
  latency_ms double precision NOT NULL,
  latencies int[] NOT NULL,
  PRIMARY KEY (workspace_id, span_minutes, starts_at, agent_id, phone_number_id, campaign_id, call_type),
  CONSTRAINT call_rollups_span_check CHECK (span_minutes IN (15, 60, 360, 1440, 11520, 92160))
) WITH (fillfactor = 80);
CREATE INDEX call_rollups_agent_idx ON call_rollups (workspace_id, agent_id, span_minutes, starts_at);
CREATE INDEX call_rollups_number_idx ON call_rollups (workspace_id, phone_number_id, span_minutes, starts_at)
  WHERE phone_number_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX call_rollups_campaign_idx ON call_rollups (workspace_id, campaign_id, span_minutes, starts_at)
  WHERE campaign_id <> '00000000-0000-0000-0000-000000000000';

-- Of the whole workspace.
CREATE TABLE call_totals (
  workspace_id uuid NOT NULL,
  span_minutes int NOT NULL,
  starts_at timestamptz(6) NOT NULL,
  call_type text NOT NULL,
  calls int NOT NULL,
  answered int NOT NULL,
  successful int NOT NULL,
  duration bigint NOT NULL,
  cost bigint NOT NULL,
  outcomes int[] NOT NULL,
  turns bigint NOT NULL,
  latency_ms double precision NOT NULL,
  latencies int[] NOT NULL,
  PRIMARY KEY (workspace_id, span_minutes, starts_at, call_type),
  CONSTRAINT call_totals_span_check CHECK (span_minutes IN (15, 60, 360, 1440, 11520, 92160))
) WITH (fillfactor = 80);

-- Completed calls that no rollup contains yet. Every completion adds its call, whatever wrote it, and the statement that adds the call
-- to the rollups removes it: so a call counts once.
CREATE TABLE uncounted_calls (
  call_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX uncounted_calls_workspace_id_idx ON uncounted_calls (workspace_id);

CREATE FUNCTION note_completed_call() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uncounted_calls (call_id, workspace_id) VALUES (NEW.id, NEW.workspace_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER calls_completed_insert AFTER INSERT ON calls FOR EACH ROW WHEN (NEW.status = 'completed')
  EXECUTE FUNCTION note_completed_call();
CREATE TRIGGER calls_completed_update AFTER UPDATE OF status ON calls FOR EACH ROW
  WHEN (OLD.status <> 'completed' AND NEW.status = 'completed') EXECUTE FUNCTION note_completed_call();
