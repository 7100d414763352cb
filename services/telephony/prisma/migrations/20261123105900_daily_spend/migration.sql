-- What calls of a workspace that ended on a day (UTC) cost, in cents: raised by the statement that writes a call's end, and by nothing
-- else (D12.14).
CREATE TABLE daily_spend (
  workspace_id uuid NOT NULL,
  day date NOT NULL,
  cents bigint NOT NULL,
  PRIMARY KEY (workspace_id, day)
);
