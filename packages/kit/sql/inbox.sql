-- Messages whose effect is committed, by consumer (kit/inbox). Rows older than a week are swept.
CREATE TABLE "inbox" (
    "consumer" TEXT NOT NULL,
    "message_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("consumer", "message_id")
);

CREATE INDEX "inbox_at_idx" ON "inbox" ("at");
