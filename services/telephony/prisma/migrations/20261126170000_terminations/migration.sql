-- Where the requests of SIP trunks go, hashed: host, port and transport. Numbers with the same share its state.
ALTER TABLE "phone_numbers" ADD COLUMN "termination" UUID;
CREATE INDEX "phone_numbers_termination_idx" ON "phone_numbers" ("termination") WHERE "termination" IS NOT NULL;

CREATE TABLE "terminations" (
  "id" UUID PRIMARY KEY,
  "registration" TEXT NOT NULL DEFAULT 'pending',
  "health" TEXT NOT NULL DEFAULT 'unknown',
  "failures" INTEGER NOT NULL DEFAULT 0,
  "reason" TEXT,
  "since" TIMESTAMPTZ(6),
  "checked_at" TIMESTAMPTZ(6),
  -- Of its host, as JSON: those that may call in.
  "addresses" TEXT,
  "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX "terminations_due_at_idx" ON "terminations" ("due_at");
