-- SIP trunks of deleted numbers that are still to be taken down at the carrier (spec: DELETE /v1/phone-number/{id}): a
-- row until it is done, so that a deletion waits for no carrier. due_at is stack time.
CREATE TABLE "trunk_removals" (
  "phone_number_id" uuid NOT NULL,
  "phone_number" text NOT NULL,
  "attempts" integer NOT NULL DEFAULT 0,
  "due_at" timestamptz(6) NOT NULL,
  CONSTRAINT "trunk_removals_pkey" PRIMARY KEY ("phone_number_id")
);
CREATE INDEX "trunk_removals_due_at_idx" ON "trunk_removals" ("due_at");

-- Which imported numbers the simulated carrier brings calls to us for (D5.3). It is the carrier's: it outlives the
-- number's deletion here, as it would at a real one.
CREATE TABLE "simulated_routes" (
  "phone_number" text NOT NULL,
  "pointed_at" timestamptz(6) NOT NULL,
  CONSTRAINT "simulated_routes_pkey" PRIMARY KEY ("phone_number")
);
