-- Who dials from the number may be late for a while without asking; dials of anybody else leave no sooner than the second.
ALTER TABLE "number_clocks" ADD COLUMN "holder_id" uuid, ADD COLUMN "others_dial_at" timestamptz(6);
