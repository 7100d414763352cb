-- Links that sign a person in once, created by the operator.
CREATE TABLE sign_in_links (
  -- HMAC-SHA256 of the token under the server's pepper, hex.
  hash text PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- In the database's real time.
  expires_at timestamptz(6) NOT NULL
);
CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at);
CREATE INDEX sign_in_links_person_id_idx ON sign_in_links (person_id);
CREATE INDEX sign_in_links_workspace_id_idx ON sign_in_links (workspace_id);

-- Checked by the application alone from now on: the set grows.
ALTER TABLE sessions DROP CONSTRAINT sessions_signed_in_by_check;
