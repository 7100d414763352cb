-- A call whose worker dies again and again at the same step is ended instead of being taken over. Constant defaults: no row is rewritten.
ALTER TABLE "call_workers" ADD COLUMN "handed_over" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "calls"
  ADD COLUMN "crash_step" TEXT,
  ADD COLUMN "step_crashes" SMALLINT NOT NULL DEFAULT 0,
  ADD COLUMN "crashes" SMALLINT NOT NULL DEFAULT 0;
