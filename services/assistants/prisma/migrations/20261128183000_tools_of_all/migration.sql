-- no transaction
-- The tools of all assistants of a workspace: counted by kind and put in order by this index alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "tools_list_idx" ON "tools" ("workspace_id", "created_at" DESC, "id" DESC) INCLUDE ("is_native");
