-- Consumers mask an erased number in messages that were published before the end of the erasure.
ALTER TABLE "removals" ADD COLUMN "began_at" timestamptz(6) NOT NULL DEFAULT clock_timestamp(), ADD COLUMN "number_mac" text;
CREATE INDEX "removals_number_mac_idx" ON "removals" ("number_mac");
