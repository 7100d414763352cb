-- Messages that are too large for the broker (kit/outbox): a reference is published, and consumers read the whole from here.
CREATE TABLE "outbox_contents" (
    "message_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "outbox_contents_pkey" PRIMARY KEY ("message_id")
);

CREATE INDEX "outbox_contents_created_at_idx" ON "outbox_contents" ("created_at");
