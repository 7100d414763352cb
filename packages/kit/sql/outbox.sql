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

-- Messages that the broker refused by themselves (kit/outbox): an operator looks at them and has them sent again.
CREATE TABLE "outbox_refused" (
    "message_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "workspace_id" UUID NOT NULL,
    "payload" TEXT NOT NULL,
    "traceparent" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "refused_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),
    "reason" TEXT NOT NULL,

    CONSTRAINT "outbox_refused_pkey" PRIMARY KEY ("message_id")
);

CREATE INDEX "outbox_refused_refused_at_idx" ON "outbox_refused" ("refused_at", "message_id");

-- Messages that are too large for the broker (kit/outbox): a reference is published, and consumers read the whole from here.
CREATE TABLE "outbox_contents" (
    "message_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_contents_pkey" PRIMARY KEY ("message_id")
);

CREATE INDEX "outbox_contents_created_at_idx" ON "outbox_contents" ("created_at");
