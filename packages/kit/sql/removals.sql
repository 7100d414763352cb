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
  "began_at" timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  -- Transactions from these on may have written rows that the pass before has not seen.
  "began_xid" text,
  "since_xid" text,
  -- A keyed hash of the person's number: consumers mask it in messages that were published before the end of the erasure.
  "number_mac" text,
  -- How often the size of a batch is halved, after timeouts.
  "halvings" integer NOT NULL DEFAULT 0,
  -- Where the pass is, with the list of steps that it is a position in.
  "position" text,
  CONSTRAINT "removals_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "removals_number_mac_idx" ON "removals" ("number_mac");
