-- SIP messages of calls, with their secrets masked. No foreign key: a message may arrive before its call is stored.
CREATE TABLE "sip_messages" (
  "call_id" UUID NOT NULL,
  "seq" BIGSERIAL NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  "direction" TEXT NOT NULL,
  "transport" TEXT NOT NULL,
  "local" TEXT NOT NULL,
  "remote" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  PRIMARY KEY ("call_id", "seq")
);
CREATE INDEX "sip_messages_at_idx" ON "sip_messages" ("at");
