-- Figures by disconnection reason of the whole workspace: the rows of call_totals once more, each divided by reason. A year of call_outcomes has a
-- row for each assistant, number and campaign.
CREATE TABLE outcome_totals (LIKE call_totals INCLUDING DEFAULTS, outcome text NOT NULL,
  PRIMARY KEY (workspace_id, span_minutes, starts_at, call_type, outcome),
  CONSTRAINT outcome_totals_span_check CHECK (span_minutes IN (15, 60, 360, 1440, 11520, 92160))
) WITH (fillfactor = 80);
