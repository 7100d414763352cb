-- An account belongs to one workspace until its owner has proved the address (D12.7): until then an address may have an account in
-- each of several workspaces, and one at most of those that have proved it.
ALTER TABLE people
  ADD COLUMN home_workspace_id uuid REFERENCES workspaces (id) ON DELETE SET NULL ON UPDATE CASCADE,
  ADD COLUMN proved_at timestamptz(6),
  -- Null: the person signs in by single sign-on alone.
  ALTER COLUMN password_hash DROP NOT NULL;

-- The accounts that are here belong where they came first; memberships elsewhere stay theirs.
UPDATE people SET home_workspace_id = (
  SELECT workspace_id FROM members WHERE person_id = people.id ORDER BY created_at, id LIMIT 1);

CREATE UNIQUE INDEX people_proved_email_key ON people (email) WHERE proved_at IS NOT NULL;
CREATE UNIQUE INDEX people_home_email_key ON people (email, home_workspace_id) WHERE proved_at IS NULL;
CREATE INDEX people_email_idx ON people (email);
DROP INDEX people_email_key;
-- For the deletion of a workspace.
CREATE INDEX people_home_workspace_id_idx ON people (home_workspace_id);
