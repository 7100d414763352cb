-- Calls that come in at the simulated carrier. answered_at: when we picked up; gives_up_at: how long the caller waits for
-- that; script: what the caller says. Offered to workers in turns, until one has taken it; offered_until is the
-- database's own real time.
ALTER TABLE "simulated_legs"
  ADD COLUMN "direction" text NOT NULL DEFAULT 'outbound',
  ADD COLUMN "answered_at" timestamptz(6),
  ADD COLUMN "gives_up_at" timestamptz(6),
  ADD COLUMN "script" text[],
  ADD COLUMN "offered_until" timestamptz(6),
  ADD COLUMN "taken" boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT "simulated_legs_direction_check" CHECK (
    "direction" = 'outbound' OR ("direction" = 'inbound' AND "gives_up_at" IS NOT NULL)
  );
CREATE INDEX "simulated_legs_offered_idx" ON "simulated_legs" ("originated_at") WHERE "direction" = 'inbound' AND NOT "taken";
