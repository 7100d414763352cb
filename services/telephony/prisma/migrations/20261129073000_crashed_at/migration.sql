-- When a worker of the call died last: deaths that follow each other count together.
ALTER TABLE "calls" ADD COLUMN "crashed_at" TIMESTAMPTZ(6);
