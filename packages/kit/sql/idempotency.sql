-- Idempotency keys [general.20]: one row per workspace, method, path and key, for 24 hours.
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
