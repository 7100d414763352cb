-- What a workspace may store, and about how much it does, in MB; measured every minute by what the services answer.
ALTER TABLE "workspaces" ADD COLUMN "max_stored_mb" INTEGER, ADD COLUMN "stored_mb" INTEGER NOT NULL DEFAULT 0;
