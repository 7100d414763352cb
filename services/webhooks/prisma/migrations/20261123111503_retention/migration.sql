-- How many days workspaces keep things, as the gateway has said last (D12.10); null: as the operator has set it for all.
CREATE TABLE "retention" (
  "workspace_id" uuid NOT NULL,
  "calls" integer,
  "recordings" integer,
  "attempts" integer,
  "contacts" integer,
  CONSTRAINT "retention_pkey" PRIMARY KEY ("workspace_id")
);
