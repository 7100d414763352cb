-- Set while the workspace is suspended (D12.15).
ALTER TABLE workspaces
  ADD COLUMN suspended_at timestamptz(6),
  -- Where it may call and write to, as prefixes of E.164 numbers; empty: anywhere (D12.14).
  ADD COLUMN allowed_destinations text[] NOT NULL DEFAULT '{}',
  -- What its calls may cost on a day (UTC); null: no limit (D12.14).
  ADD COLUMN daily_spend_limit_cents integer CHECK (daily_spend_limit_cents >= 0);
