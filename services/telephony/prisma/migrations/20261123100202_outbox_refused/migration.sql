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
