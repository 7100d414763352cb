-- How far this service is with the removal of a person or a workspace (kit/removal): one row per job of the gateway.
CREATE TABLE "removals" (
  "id" uuid NOT NULL,
  "workspace_id" uuid NOT NULL,
  "pass" integer NOT NULL,
  "step" integer NOT NULL DEFAULT 0,
  "cursor" text,
  -- Records that this pass has removed.
  "found" integer NOT NULL DEFAULT 0,
  -- What kept this pass from removing the rest.
  "waiting" text,
  -- Over all passes: records by place.
  "removed" jsonb NOT NULL DEFAULT '{}',
  "kept" jsonb NOT NULL DEFAULT '{}',
  "updated_at" timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT "removals_pkey" PRIMARY KEY ("id")
);

-- Calls that were erased. A message about one that arrives late must not bring the person back.
CREATE TABLE "removal_calls" (
  "call_id" uuid NOT NULL,
  "removal_id" uuid NOT NULL,
  "n" bigserial NOT NULL,
  CONSTRAINT "removal_calls_pkey" PRIMARY KEY ("call_id")
);
CREATE INDEX "removal_calls_removal_id_n_idx" ON "removal_calls" ("removal_id", "n");
