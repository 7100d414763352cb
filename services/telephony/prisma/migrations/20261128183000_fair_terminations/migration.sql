-- Trunks are checked by workspace, so that those of one workspace delay no other. Terminations which the version before adds have the nil
-- workspace, which takes turns like any other, until their first check.
ALTER TABLE "terminations" ADD COLUMN "workspace_id" uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
CREATE INDEX "terminations_workspace_due_idx" ON "terminations" ("workspace_id", "due_at");
