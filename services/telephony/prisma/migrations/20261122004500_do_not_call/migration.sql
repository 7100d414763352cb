-- Numbers that a workspace doesn't call (D6.10). The primary key answers the question that is asked before each dial.
CREATE TABLE "do_not_call" (
  "workspace_id" uuid NOT NULL,
  "phone_number" text NOT NULL,
  "created_at" timestamptz(6) NOT NULL,
  CONSTRAINT "do_not_call_pkey" PRIMARY KEY ("workspace_id", "phone_number")
);
CREATE INDEX "do_not_call_workspace_id_created_at_idx" ON "do_not_call" ("workspace_id", "created_at" DESC, "phone_number");
