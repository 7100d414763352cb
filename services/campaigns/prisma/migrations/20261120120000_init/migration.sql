CREATE TABLE campaigns (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  agent_id uuid NOT NULL,
  phone_number_id uuid NOT NULL,
  -- Null once the number is gone (D5.4); its id stays, so that what still waits is refused by telephony, not forgotten.
  phone_number text,
  status text NOT NULL CHECK (
    status IN ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'dormant')
  ),
  -- Raised whenever dialling stops: telephony refuses requests of a lower one.
  generation integer NOT NULL DEFAULT 1,
  -- Telephony has not yet confirmed that it took back the requests of lower generations.
  withdrawal_owed boolean NOT NULL DEFAULT false,
  total_contacts integer NOT NULL CHECK (total_contacts > 0),
  max_retries integer NOT NULL,
  retry_intervals integer[] NOT NULL,
  business_hours jsonb,
  scheduled_at timestamptz(6),
  -- When it changes its status by itself next: its schedule, or the next edge of its hours.
  wake_at timestamptz(6),
  started_at timestamptz(6),
  completed_at timestamptz(6),
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);
CREATE INDEX campaigns_workspace_id_created_at_id_idx ON campaigns (workspace_id, created_at, id);
CREATE INDEX campaigns_wake_at_idx ON campaigns (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX campaigns_running_idx ON campaigns (phone_number_id, id) WHERE status = 'running';
CREATE INDEX campaigns_live_idx ON campaigns (id) WHERE status IN ('running', 'dormant');
CREATE INDEX campaigns_withdrawal_owed_idx ON campaigns (id) WHERE withdrawal_owed;
CREATE INDEX campaigns_phone_number_id_idx ON campaigns (phone_number_id);

-- No foreign key to campaigns: contacts are copied in before the campaign's own fields are known, and a check per row
-- would double the time of a million. Both are written in one transaction, and campaigns are never deleted.
CREATE TABLE contacts (
  campaign_id uuid NOT NULL,
  -- UUIDv7 of the service: its order is the order of the list.
  id uuid NOT NULL,
  phone_number text NOT NULL,
  contact_name text,
  -- json, not jsonb: it is handed back as it came and never looked into.
  custom_data json,
  -- queued: claimed, its request is on the way to the carrier; clients see where it came from.
  -- cancelled isn't stored: it is what waits in a campaign that was cancelled.
  status text NOT NULL DEFAULT 'pending' CHECK (
    status IN ('pending', 'queued', 'dialing', 'in_progress', 'retrying', 'succeeded', 'failed')
  ),
  attempts integer NOT NULL DEFAULT 0,
  last_call_id uuid,
  last_outcome text,
  next_attempt_at timestamptz(6),
  PRIMARY KEY (campaign_id, id)
);
-- Pages and counts by status.
CREATE INDEX contacts_campaign_id_status_id_idx ON contacts (campaign_id, status, id);
-- What a campaign may claim, the first attempts last (null). By an expression of its own, so that no other index can
-- serve the claim: the planner would walk the primary key past a million that are done.
CREATE INDEX contacts_waiting_idx ON contacts (
  (CASE WHEN status IN ('pending', 'retrying') THEN campaign_id END), next_attempt_at, id
) WHERE status IN ('pending', 'retrying');
-- Claims read the front of an index that dies behind them: vacuum long before a fifth of a million rows is dead.
ALTER TABLE contacts SET (autovacuum_vacuum_scale_factor = 0.02);

-- Final outcomes per campaign, spread over shards so that ends of calls don't queue up at one row.
-- Written by the statement that finishes the contact, and by nothing else: it can't drift.
CREATE TABLE campaign_tallies (
  campaign_id uuid NOT NULL,
  shard smallint NOT NULL,
  succeeded integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  PRIMARY KEY (campaign_id, shard)
);

-- One row per dial that was asked for; id is the call's id. A UUIDv7, so ranges of it are ranges of time to partition by.
-- state: requested → dialled → answered → ended; requested → withdrawn | refused.
CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  phone_number_id uuid NOT NULL,
  generation integer NOT NULL,
  state text NOT NULL DEFAULT 'requested' CHECK (
    state IN ('requested', 'dialled', 'answered', 'ended', 'withdrawn', 'refused')
  ),
  outcome text,
  requested_at timestamptz(6) NOT NULL,
  -- The last time that telephony told of it: what the reconciler goes by.
  news_at timestamptz(6) NOT NULL
);
CREATE INDEX attempts_requested_idx ON attempts (phone_number_id) WHERE state = 'requested';
CREATE INDEX attempts_open_idx ON attempts (news_at) WHERE state IN ('requested', 'dialled', 'answered');

-- One row per number that campaigns dial from: whoever claims for it holds the row, so that replicas never exceed the
-- number's window together; and whose turn was last.
CREATE TABLE dial_lanes (
  phone_number_id uuid PRIMARY KEY,
  last_campaign_id uuid
);

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

