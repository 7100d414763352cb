-- What the carrier makes of a number's dials: how many it failed in a row, and while that is too many (opened_at), when
-- the next one is tried and which. Apart from the number's clock, whose lock is the dialer's. Stack time.
CREATE TABLE "number_circuits" (
  "phone_number_id" uuid NOT NULL,
  "failures" integer NOT NULL DEFAULT 0,
  "last_failed_at" timestamptz(6),
  "opened_at" timestamptz(6),
  "openings" integer NOT NULL DEFAULT 0,
  "probe_at" timestamptz(6),
  "probe_call_id" uuid,
  CONSTRAINT "number_circuits_pkey" PRIMARY KEY ("phone_number_id"),
  CONSTRAINT "number_circuits_phone_number_id_fkey" FOREIGN KEY ("phone_number_id") REFERENCES "phone_numbers" ("id") ON DELETE CASCADE,
  CONSTRAINT "number_circuits_probe_check" CHECK (("opened_at" IS NULL) = ("probe_at" IS NULL))
);
