-- Days that a workspace keeps things (D12.10). Null: as the operator has set it for all.
ALTER TABLE workspaces
  ADD COLUMN retain_calls_days integer CHECK (retain_calls_days > 0),
  ADD COLUMN retain_recordings_days integer CHECK (retain_recordings_days > 0),
  ADD COLUMN retain_attempts_days integer CHECK (retain_attempts_days > 0),
  ADD COLUMN retain_contacts_days integer CHECK (retain_contacts_days > 0),
  -- A change that the services have not taken yet.
  ADD COLUMN retention_changed_at timestamptz(6);
