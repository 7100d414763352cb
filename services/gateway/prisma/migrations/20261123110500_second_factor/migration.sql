-- A second factor of accounts with a password (D12.8): codes of an authenticator app (RFC 6238).
CREATE TABLE totp_factors (
  person_id uuid PRIMARY KEY REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Sealed.
  secret text NOT NULL,
  -- Null until a code has shown that the app has the secret.
  confirmed_at timestamptz(6),
  -- The step of 30 seconds whose code was used last: an older one, or the same again, is refused.
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL
);

-- HMAC-SHA256 under the server's pepper, hex; each is used once.
CREATE TABLE recovery_codes (
  person_id uuid NOT NULL REFERENCES totp_factors (person_id) ON DELETE CASCADE ON UPDATE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (person_id, code_hash)
);

-- What the person has shown to open the session.
ALTER TABLE sessions
  ADD COLUMN signed_in_by text NOT NULL DEFAULT 'password' CHECK (signed_in_by IN ('password', 'second_factor', 'sso'));

-- What a session needs to work in the workspace.
ALTER TABLE workspaces
  ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false,
  ADD COLUMN require_sso boolean NOT NULL DEFAULT false;
