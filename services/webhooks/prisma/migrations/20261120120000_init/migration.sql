-- The newest known URL of each assistant: a row takes only a higher version. No URL: no events are sent.
CREATE TABLE endpoints (
  agent_id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  version integer NOT NULL,
  url text
);

-- An event with its exact bytes; its id is the webhook-id of every attempt and resend.
CREATE TABLE events (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  call_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  event text NOT NULL CHECK (event IN ('call_started', 'call_ended', 'call_analyzed')),
  edition integer NOT NULL DEFAULT 1,
  -- The order within a call: call_started 1, call_ended 2, call_analyzed 3.
  position smallint NOT NULL,
  body text NOT NULL,
  -- 30 minutes after the call ended: until then it waits for earlier events. Null for call_started.
  hold_until timestamptz(6),
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  -- Waits for an earlier event; next_attempt_at then is hold_until.
  blocked boolean NOT NULL,
  reason text,
  series integer NOT NULL DEFAULT 1,
  -- Of the series.
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(6),
  -- A deliverer has it until then, by the database's own clock; fence goes up with every claim.
  lease_until timestamptz(6),
  fence integer NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL,
  CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
);
CREATE UNIQUE INDEX events_call_id_event_edition_key ON events (call_id, event, edition);
-- The claim: per assistant, the pending events in the order in which they are due.
CREATE INDEX events_due_idx ON events (agent_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX events_leased_idx ON events (workspace_id, agent_id) WHERE lease_until IS NOT NULL;
-- Rows change a few times and then stay: room for those changes on their page.
ALTER TABLE events SET (fillfactor = 80);

CREATE TABLE attempts (
  id uuid PRIMARY KEY,
  event_id uuid NOT NULL REFERENCES events (id) ON DELETE CASCADE ON UPDATE CASCADE,
  workspace_id uuid NOT NULL,
  series integer NOT NULL,
  attempt integer NOT NULL,
  url text NOT NULL,
  started_at timestamptz(6) NOT NULL,
  duration_ms integer NOT NULL,
  reason text NOT NULL,
  status integer NOT NULL,
  error text,
  request_headers jsonb NOT NULL,
  response_headers jsonb,
  response_body text
);
CREATE UNIQUE INDEX attempts_event_id_series_attempt_key ON attempts (event_id, series, attempt);

-- Messages whose effect is committed, by consumer (kit/inbox). Rows older than a week are swept.
CREATE TABLE "inbox" (
    "consumer" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("consumer", "message_id")
);

CREATE INDEX "inbox_at_idx" ON "inbox" ("at");
