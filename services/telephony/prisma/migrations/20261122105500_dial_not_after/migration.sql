-- The hours of the campaign close then: what has not left by this instant goes back to it.
ALTER TABLE "dial_requests" ADD COLUMN "not_after" timestamptz(6);
