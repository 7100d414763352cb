-- An assistant with its whole configuration: completed with defaults before it is written. `config` is json and not
-- jsonb, since jsonb would sort the keys of what the client gave us.
CREATE TABLE assistants (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  agent_name text NOT NULL,
  agent_type text NOT NULL,
  config json NOT NULL,
  -- Rises with every change, those of its tools included: copies elsewhere take only a higher one.
  version integer NOT NULL,
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);
-- The list: newest edit first.
CREATE INDEX assistants_workspace_id_updated_at_id_idx ON assistants (workspace_id, updated_at DESC, id DESC);

-- A tool of either kind. A native one is here from the first time that it was switched on; whether it is on, the
-- assistant's configuration says.
CREATE TABLE tools (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  agent_id uuid NOT NULL REFERENCES assistants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  tool_name text NOT NULL,
  description text,
  is_native boolean NOT NULL,
  endpoint_url text NOT NULL,
  http_method text NOT NULL CHECK (http_method IN ('GET', 'POST')),
  -- Name to value as JSON, sealed (tools:headers:<id>); the names stand apart, so that they are listed without a key.
  headers text,
  header_names text[] NOT NULL,
  -- json: the order of parameters is the client's. Native tools have none here; theirs follow from their settings.
  parameters json,
  timeout_seconds integer NOT NULL,
  tool_behavior text CHECK (tool_behavior IN ('blocking', 'non_blocking')),
  result_scheduling text CHECK (result_scheduling IN ('when_idle', 'silent')),
  sms_content_type text CHECK (sms_content_type IN ('prompt', 'static')),
  sms_static_message text,
  -- {account_sid, auth_token} as JSON, sealed (tools:telco_credentials:<id>).
  telco_credentials text,
  telco_from_number text,
  transfer_call_mode text CHECK (transfer_call_mode IN ('static', 'dynamic')),
  transfer_call_destination text,
  transfer_call_type text CHECK (transfer_call_type IN ('cold', 'warm')),
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);
CREATE UNIQUE INDEX tools_agent_id_tool_name_key ON tools (agent_id, tool_name);
CREATE INDEX tools_agent_id_created_at_id_idx ON tools (agent_id, created_at DESC, id DESC);

-- Which assistants a phone number names, for the assistants' list: a row takes only a higher version. A deleted number
-- stays without assistants, so that a late message can't bring it back.
CREATE TABLE number_links (
  phone_number_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  phone_number text NOT NULL,
  inbound_agent_id uuid,
  outbound_agent_id uuid,
  version integer NOT NULL
);
CREATE INDEX number_links_inbound_agent_id_idx ON number_links (inbound_agent_id);
CREATE INDEX number_links_outbound_agent_id_idx ON number_links (outbound_agent_id);

-- Messages that are committed and not yet confirmed by the broker (kit/outbox). Rows live for milliseconds.
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "message_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,
    "payload" TEXT NOT NULL,
    "traceparent" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- A table that empties itself all the time has to be vacuumed by the number of rows that passed, not by its size.
ALTER TABLE "outbox" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Messages whose effect is committed, by consumer (kit/inbox). Rows older than a week are swept.
CREATE TABLE "inbox" (
    "consumer" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("consumer", "message_id")
);

CREATE INDEX "inbox_at_idx" ON "inbox" ("at");

-- Idempotency keys (D1.7): one row per workspace, method, path and key, from the first request on, for 24 hours.
-- state: running (committed before the use case, held by lease_until in the database's real time) or
-- answered (written in the transaction that creates the resource). body_hash is null while a streamed body is read.
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
