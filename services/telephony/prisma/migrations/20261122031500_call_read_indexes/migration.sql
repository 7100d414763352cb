-- Lists count all matches (D1.4) and show the newest of them, also with a million calls in the workspace. Keys end in
-- created_at, id upwards: calls come in that order, so that pages fill up, and lists read backwards. What is wide is in no
-- index but the list's, since counting reads whole indexes.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

DROP INDEX "calls_workspace_id_created_at_id_idx";
DROP INDEX "calls_list_idx";
DROP INDEX "calls_campaign_id_created_at_idx";

-- No filter, a span of time, and fewer characters of a number than a trigram has.
CREATE INDEX "calls_created_idx" ON "calls" ("workspace_id", "created_at", "id") INCLUDE ("to_number");
-- Several filters at once.
CREATE INDEX "calls_list_idx" ON "calls" ("workspace_id", "created_at", "id")
  INCLUDE ("status", "call_type", "agent_id", "campaign_id", "from_number", "to_number", "duration", "cost", "disconnection_reason");
-- One value of one filter: its matches stand together, in the order of the list, wherever in time they lie.
CREATE INDEX "calls_type_idx" ON "calls" ("workspace_id", "call_type", "created_at", "id");
CREATE INDEX "calls_agent_idx" ON "calls" ("workspace_id", "agent_id", "created_at", "id");
CREATE INDEX "calls_campaign_idx" ON "calls" ("workspace_id", "campaign_id", "created_at", "id") WHERE "campaign_id" IS NOT NULL;
CREATE INDEX "calls_from_number_idx" ON "calls" ("workspace_id", "from_number", "created_at", "id");
CREATE INDEX "calls_reason_idx" ON "calls" ("workspace_id", "disconnection_reason", "created_at", "id") WHERE "disconnection_reason" IS NOT NULL;
-- Spans of these hold many calls of few values, which an index without more keeps in a hundredth of the space.
CREATE INDEX "calls_duration_idx" ON "calls" ("workspace_id", "duration");
CREATE INDEX "calls_cost_idx" ON "calls" ("workspace_id", "cost");
-- Part of a number. Without a list of pending entries: searches would have to read it, and some call to write it all.
CREATE INDEX "calls_to_number_idx" ON "calls" USING gin ("workspace_id", "to_number" gin_trgm_ops) WITH (fastupdate = off);

-- Which dials of a campaign are under way.
CREATE INDEX "calls_dialing_idx" ON "calls" ("campaign_id") WHERE "phase" = 'dialing';

-- Counting reads an index alone as long as the table's pages are known to be visible: vacuum a large table sooner.
ALTER TABLE "calls" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
