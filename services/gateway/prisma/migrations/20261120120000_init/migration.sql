CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  rate_cents integer NOT NULL DEFAULT 10 CHECK (rate_cents >= 0),
  max_live_calls integer NOT NULL DEFAULT 20 CHECK (max_live_calls >= 0),
  requests_per_minute integer NOT NULL DEFAULT 600 CHECK (requests_per_minute > 0),
  -- Sealed (AES-256-GCM); the old one signs along for 24 hours after a rotation.
  webhook_secret text NOT NULL,
  old_webhook_secret text,
  old_secret_expires_at timestamptz(6),
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE ON UPDATE CASCADE,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('private', 'public')),
  -- The first 8 characters after svc_ or svc_pub_, for display.
  prefix text NOT NULL,
  -- HMAC-SHA256 of the key under the server's pepper, hex.
  hash text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  expires_at timestamptz(6),
  last_used_at timestamptz(6),
  created_at timestamptz(6) NOT NULL
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE INDEX api_keys_workspace_id_created_at_id_idx ON api_keys (workspace_id, created_at, id);

CREATE TABLE members (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Lower case.
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer')),
  created_at timestamptz(6) NOT NULL
);
CREATE UNIQUE INDEX members_workspace_id_email_key ON members (workspace_id, email);
