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
