-- When telephony heard of the deletion, in stack time: a day later nobody needs the assistant's snapshots any more, and
-- the secrets of its tools go with them.
ALTER TABLE "agents" ADD COLUMN "deleted_at" timestamptz(6);
UPDATE "agents" SET "deleted_at" = clock_timestamp() WHERE "deleted";
CREATE INDEX "agents_deleted_at_idx" ON "agents" ("deleted_at") WHERE "deleted";
