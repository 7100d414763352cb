-- How often the number of pages that a batch reads at once is halved, since batches timed out.
ALTER TABLE "removals" ADD COLUMN "halvings" integer NOT NULL DEFAULT 0;
