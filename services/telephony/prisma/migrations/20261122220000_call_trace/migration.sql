-- The W3C trace context of whoever asked for the call: its dial, its messages and its webhooks are parts of that trace.
-- Null where traces are not kept.
ALTER TABLE "calls" ADD COLUMN "traceparent" TEXT;
ALTER TABLE "dial_requests" ADD COLUMN "traceparent" TEXT;
-- How many circuits are open is asked at every scrape.
CREATE INDEX "number_circuits_open_idx" ON "number_circuits" ("phone_number_id") WHERE "opened_at" IS NOT NULL;
