-- What its owner is about to delete: no campaign is created on it (D3.1, D5.4). Measured by the database's clock, in real
-- time, since it outlives a request of another process; kept for a day, so that an upload that began before meets it.
CREATE TABLE retirements (
  workspace_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('assistant', 'phone_number')),
  id uuid NOT NULL,
  at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (workspace_id, kind, id)
);
CREATE INDEX retirements_at_idx ON retirements (at);

-- Is a live campaign on it? One probe, however many campaigns there were.
CREATE INDEX campaigns_live_agent_idx ON campaigns (agent_id, id) WHERE status NOT IN ('completed', 'cancelled');
CREATE INDEX campaigns_live_number_idx ON campaigns (phone_number_id, id) WHERE status NOT IN ('completed', 'cancelled');
