-- Limits of a workspace's own (D1.6). Null: what the operator has set for all.
ALTER TABLE workspaces
  ADD COLUMN request_burst integer CHECK (request_burst > 0),
  ADD COLUMN calls_per_second integer CHECK (calls_per_second > 0),
  ADD COLUMN call_burst integer CHECK (call_burst > 0);

-- Who made a key and who revoked it: an e-mail address, or "operator".
ALTER TABLE api_keys
  ADD COLUMN created_by text,
  ADD COLUMN revoked_at timestamptz(6),
  ADD COLUMN revoked_by text;

-- Somebody who signs in; what they may do is said by their memberships.
CREATE TABLE people (
  id uuid PRIMARY KEY,
  -- Lower case.
  email text NOT NULL,
  -- scrypt, with its parameters and its salt.
  password_hash text NOT NULL,
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);
CREATE UNIQUE INDEX people_email_key ON people (email);

-- A member without a person is invited: the invitation is the only way in, whoever has an account of that address.
ALTER TABLE members
  ADD COLUMN person_id uuid REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- HMAC-SHA256 of the token under the server's pepper, hex.
  ADD COLUMN invitation_hash text,
  ADD COLUMN invitation_expires_at timestamptz(6),
  ADD COLUMN invited_by text;
CREATE UNIQUE INDEX members_invitation_hash_key ON members (invitation_hash);
CREATE INDEX members_person_id_idx ON members (person_id);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  -- Which workspace the person has picked.
  workspace_id uuid REFERENCES workspaces (id) ON DELETE SET NULL ON UPDATE CASCADE,
  -- HMAC-SHA256 of the cookie under the server's pepper, hex.
  token_hash text NOT NULL,
  created_at timestamptz(6) NOT NULL,
  last_seen_at timestamptz(6) NOT NULL,
  expires_at timestamptz(6) NOT NULL,
  -- Where from and by what, for the person to know it by.
  address text NOT NULL,
  user_agent text NOT NULL
);
CREATE UNIQUE INDEX sessions_token_hash_key ON sessions (token_hash);
CREATE INDEX sessions_person_id_created_at_id_idx ON sessions (person_id, created_at, id);
CREATE INDEX sessions_last_seen_at_idx ON sessions (last_seen_at);

-- Idempotency keys (D1.7): one row per workspace, method, path and key, from the first request on, for 24 hours.
-- state: running (committed before the use case, held by lease_until in the database's real time) or
-- answered (written in the transaction that creates the resource). body_hash is an HMAC of the body, null while a streamed body is read.
CREATE TABLE "idempotency_keys" (
  "workspace_id" uuid NOT NULL,
  "method" text NOT NULL,
  "path" text NOT NULL,
  "key" text NOT NULL,
  "owner" uuid NOT NULL,
  "state" text NOT NULL,
  "body_hash" text,
  "status" smallint,
  "answer" text,
  "lease_until" timestamptz(6) NOT NULL,
  "created_at" timestamptz(6) NOT NULL,
  "expires_at" timestamptz(6) NOT NULL,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("workspace_id", "method", "path", "key"),
  CONSTRAINT "idempotency_keys_state_check" CHECK (
    "state" = 'running' OR ("state" = 'answered' AND "body_hash" IS NOT NULL AND "status" IS NOT NULL AND "answer" IS NOT NULL)
  )
);

CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys" ("expires_at");
