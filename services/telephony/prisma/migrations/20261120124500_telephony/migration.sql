-- Numbers. A number can be connected once, in one workspace (spec: Phone number object).
CREATE TABLE "phone_numbers" (
  "id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "phone_number" text NOT NULL,
  "nickname" text,
  "provider" text NOT NULL,
  "is_active" boolean NOT NULL DEFAULT true,
  "max_cps" double precision NOT NULL DEFAULT 1,
  "inbound_agent_id" uuid,
  "outbound_agent_id" uuid,
  "inbound_webhook_url" text,
  "secrets" text,
  "version" integer NOT NULL DEFAULT 1,
  "created_at" timestamptz(6) NOT NULL,
  "updated_at" timestamptz(6) NOT NULL,
  CONSTRAINT "phone_numbers_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "phone_numbers_provider_check" CHECK ("provider" IN ('hosted_sip', 'telco'))
);
CREATE UNIQUE INDEX "phone_numbers_phone_number_key" ON "phone_numbers" ("phone_number");
CREATE INDEX "phone_numbers_workspace_id_created_at_id_idx" ON "phone_numbers" ("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "phone_numbers_inbound_agent_id_idx" ON "phone_numbers" ("inbound_agent_id");
CREATE INDEX "phone_numbers_outbound_agent_id_idx" ON "phone_numbers" ("outbound_agent_id");

-- The pace of a number (D7.8): whoever holds the row's lock grants the next slots. Apart from the number, so that
-- dialling never waits for an edit. Stack time.
CREATE TABLE "number_clocks" (
  "phone_number_id" uuid NOT NULL,
  "next_dial_at" timestamptz(6) NOT NULL,
  CONSTRAINT "number_clocks_pkey" PRIMARY KEY ("phone_number_id"),
  CONSTRAINT "number_clocks_phone_number_id_fkey" FOREIGN KEY ("phone_number_id") REFERENCES "phone_numbers" ("id") ON DELETE CASCADE
);

-- Copy of the assistants service's facts, by version. A deleted one stays as a tombstone.
CREATE TABLE "agents" (
  "agent_id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "agent_name" text NOT NULL,
  "version" integer NOT NULL,
  "webhook_url" text,
  "deleted" boolean NOT NULL DEFAULT false,
  CONSTRAINT "agents_pkey" PRIMARY KEY ("agent_id")
);

-- What a call needs of its assistant, sealed since tools carry secrets: one row per version that a call began with,
-- so that whoever takes a call over goes on with the same one.
CREATE TABLE "agent_snapshots" (
  "agent_id" uuid NOT NULL,
  "version" integer NOT NULL,
  "sealed" text NOT NULL,
  "created_at" timestamptz(6) NOT NULL,
  CONSTRAINT "agent_snapshots_pkey" PRIMARY KEY ("agent_id", "version")
);

-- What shall be dialled. state: waiting -> dialled | withdrawn | refused, and never back.
CREATE TABLE "dial_requests" (
  "call_id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "phone_number_id" uuid NOT NULL,
  "campaign_id" uuid,
  "contact_id" uuid,
  "generation" integer,
  "agent_id" uuid NOT NULL,
  "to_number" text NOT NULL,
  "dynamic_variables" jsonb NOT NULL DEFAULT '{}',
  "state" text NOT NULL DEFAULT 'waiting',
  "reason" text,
  "requested_at" timestamptz(6) NOT NULL,
  CONSTRAINT "dial_requests_pkey" PRIMARY KEY ("call_id"),
  CONSTRAINT "dial_requests_state_check" CHECK ("state" IN ('waiting', 'dialled', 'withdrawn', 'refused'))
);
CREATE INDEX "dial_requests_waiting_idx" ON "dial_requests" ("phone_number_id", "requested_at", "call_id") WHERE "state" = 'waiting';
CREATE INDEX "dial_requests_campaign_waiting_idx" ON "dial_requests" ("campaign_id") WHERE "state" = 'waiting' AND "campaign_id" IS NOT NULL;

-- Requests of a campaign with a lower generation are not dialled any more (D7.1).
CREATE TABLE "campaign_gates" (
  "campaign_id" uuid NOT NULL,
  "min_generation" integer NOT NULL,
  CONSTRAINT "campaign_gates_pkey" PRIMARY KEY ("campaign_id")
);

-- Calls. phase tells what status hides: queued (waits to be dialled), dialing (committed, the request leaves),
-- unknown (the carrier's answer was lost: settled by asking it, never dialled again), ringing, up, ended.
-- phone_number_id is no foreign key: a call outlives its number and then reads null (D5.4).
CREATE TABLE "calls" (
  "id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "agent_id" uuid NOT NULL,
  "agent_version" integer NOT NULL DEFAULT 0,
  "agent_webhook_url" text,
  "call_type" text NOT NULL,
  "phone_number_id" uuid,
  "from_number" text,
  "to_number" text,
  "status" text NOT NULL DEFAULT 'queued',
  "phase" text NOT NULL DEFAULT 'queued',
  "worker_id" uuid,
  "fence" integer NOT NULL DEFAULT 0,
  "call_sid" text,
  "campaign_id" uuid,
  "contact_id" uuid,
  "dynamic_variables" jsonb NOT NULL DEFAULT '{}',
  "metadata" jsonb NOT NULL DEFAULT '{}',
  "unresolved_placeholders" text[] NOT NULL DEFAULT '{}',
  "rate_cents" integer NOT NULL,
  "started_at" timestamptz(6),
  "answered_at" timestamptz(6),
  "ended_at" timestamptz(6),
  "duration" integer,
  "cost" integer,
  "disconnection_reason" text,
  "machine_detected" boolean NOT NULL DEFAULT false,
  "voicemail_message_left" boolean NOT NULL DEFAULT false,
  "retryable" boolean NOT NULL DEFAULT false,
  "recording_key" text,
  "recording_sid" text,
  "transcript" text,
  "transcript_json" jsonb,
  "enhanced_transcript" text,
  "transcript_fix_count" integer NOT NULL DEFAULT 0,
  "summary" text,
  "analysis_data" jsonb,
  "analysis_due_at" timestamptz(6),
  "analysis_lease_until" timestamptz(6),
  "analysis_attempts" integer NOT NULL DEFAULT 0,
  "analysed_at" timestamptz(6),
  "edition" integer NOT NULL DEFAULT 1,
  "created_at" timestamptz(6) NOT NULL,
  "updated_at" timestamptz(6) NOT NULL,
  CONSTRAINT "calls_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "calls_call_type_check" CHECK ("call_type" IN ('inbound', 'outbound', 'web')),
  CONSTRAINT "calls_status_check" CHECK ("status" IN ('queued', 'ringing', 'in-progress', 'completed')),
  CONSTRAINT "calls_phase_check" CHECK ("phase" IN ('queued', 'dialing', 'unknown', 'ringing', 'up', 'ended')),
  CONSTRAINT "calls_ended_check" CHECK (
    ("status" = 'completed') = ("phase" = 'ended')
    AND ("status" <> 'completed' OR ("ended_at" IS NOT NULL AND "duration" IS NOT NULL AND "cost" IS NOT NULL AND "disconnection_reason" IS NOT NULL))
  )
);
CREATE INDEX "calls_workspace_id_created_at_id_idx" ON "calls" ("workspace_id", "created_at" DESC, "id" DESC);
CREATE INDEX "calls_campaign_id_created_at_idx" ON "calls" ("campaign_id", "created_at" DESC) WHERE "campaign_id" IS NOT NULL;
CREATE INDEX "calls_live_idx" ON "calls" ("workspace_id") WHERE "status" <> 'completed';
CREATE INDEX "calls_worker_idx" ON "calls" ("worker_id") WHERE "status" <> 'completed' AND "worker_id" IS NOT NULL;
CREATE INDEX "calls_analysis_due_idx" ON "calls" ("analysis_due_at") WHERE "analysis_due_at" IS NOT NULL;

-- What was said and which tools were used, in order. role: user, agent or tool; the last five columns are a tool's.
-- json, not jsonb: a tool's answer is kept as it came.
CREATE TABLE "turns" (
  "call_id" uuid NOT NULL,
  "seq" integer NOT NULL,
  "role" text NOT NULL,
  "content" text,
  "tool_name" text,
  "query" text,
  "status_code" integer,
  "result" json,
  "error" text,
  "documents" json,
  "at" timestamptz(6) NOT NULL,
  CONSTRAINT "turns_pkey" PRIMARY KEY ("call_id", "seq"),
  CONSTRAINT "turns_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls" ("id") ON DELETE CASCADE,
  CONSTRAINT "turns_role_check" CHECK (("role" IN ('user', 'agent') AND "content" IS NOT NULL) OR ("role" = 'tool' AND "tool_name" IS NOT NULL AND "query" IS NOT NULL))
);

-- The flat tool log of a call (spec: call_analyzed payload), by the turn that shows it.
CREATE TABLE "tool_executions" (
  "id" uuid NOT NULL,
  "call_id" uuid NOT NULL,
  "seq" integer NOT NULL,
  "tool_name" text NOT NULL,
  "tool_type" text NOT NULL,
  "description" text,
  "args" json,
  "result" json,
  "error" text,
  "slow" boolean NOT NULL DEFAULT false,
  "executed_at" timestamptz(6) NOT NULL,
  CONSTRAINT "tool_executions_pkey" PRIMARY KEY ("id"),
  CONSTRAINT "tool_executions_call_id_fkey" FOREIGN KEY ("call_id") REFERENCES "calls" ("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "tool_executions_call_id_seq_key" ON "tool_executions" ("call_id", "seq");

-- Who carries calls. expires_at is the database's own real time: it tells whether a process lives.
CREATE TABLE "call_workers" (
  "id" uuid NOT NULL,
  "expires_at" timestamptz(6) NOT NULL,
  CONSTRAINT "call_workers_pkey" PRIMARY KEY ("id")
);

-- The simulated carrier's own memory (D10): a row per originate request, so that a double dial shows as two rows of
-- one reference. ended_at and ended_cause only where the plan of the number doesn't tell.
CREATE TABLE "simulated_legs" (
  "id" uuid NOT NULL,
  "reference" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "from_number" text NOT NULL,
  "to_number" text NOT NULL,
  "ordinal" integer NOT NULL,
  "originated_at" timestamptz(6) NOT NULL,
  "ended_at" timestamptz(6),
  "ended_cause" text,
  CONSTRAINT "simulated_legs_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "simulated_legs_reference_idx" ON "simulated_legs" ("reference");

-- How often a workspace has called a number that answers every other time (D10: 0009).
CREATE TABLE "simulated_alternations" (
  "workspace_id" uuid NOT NULL,
  "to_number" text NOT NULL,
  "dials" integer NOT NULL,
  CONSTRAINT "simulated_alternations_pkey" PRIMARY KEY ("workspace_id", "to_number")
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
