-- Retention of workspaces in days [trust.21], as last received from the gateway; null: the operator's default.
CREATE TABLE "retention" (
  "workspace_id" uuid NOT NULL,
  "calls" integer,
  "recordings" integer,
  "attempts" integer,
  "contacts" integer,
  CONSTRAINT "retention_pkey" PRIMARY KEY ("workspace_id")
);
