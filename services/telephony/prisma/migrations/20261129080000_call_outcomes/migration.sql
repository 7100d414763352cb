-- Figures by disconnection reason: the rows of call_rollups once more, each divided by reason. Calls that were counted before are missing.
CREATE TABLE call_outcomes (LIKE call_rollups INCLUDING DEFAULTS, outcome text NOT NULL,
  PRIMARY KEY (workspace_id, span_minutes, starts_at, agent_id, phone_number_id, campaign_id, call_type, outcome),
  CONSTRAINT call_outcomes_span_check CHECK (span_minutes IN (15, 60, 360, 1440, 11520, 92160))
) WITH (fillfactor = 80);
CREATE INDEX call_outcomes_agent_idx ON call_outcomes (workspace_id, agent_id, span_minutes, starts_at);
CREATE INDEX call_outcomes_number_idx ON call_outcomes (workspace_id, phone_number_id, span_minutes, starts_at)
  WHERE phone_number_id <> '00000000-0000-0000-0000-000000000000';
CREATE INDEX call_outcomes_campaign_idx ON call_outcomes (workspace_id, campaign_id, span_minutes, starts_at)
  WHERE campaign_id <> '00000000-0000-0000-0000-000000000000';
