-- A number belongs to one workspace per trunk or account, and no longer to one workspace at all (D5.2). Rows whose trunk is not
-- known yet (older ones, and those of a replica of the version before) keep their number to themselves until a job fills it in.
ALTER TABLE "phone_numbers" ADD COLUMN "trunk" TEXT;
CREATE UNIQUE INDEX "phone_numbers_workspace_id_phone_number_key" ON "phone_numbers" ("workspace_id", "phone_number");
CREATE UNIQUE INDEX "phone_numbers_trunk_phone_number_key" ON "phone_numbers" ("trunk", "phone_number");
CREATE UNIQUE INDEX "phone_numbers_unknown_trunk_key" ON "phone_numbers" ("phone_number") WHERE "trunk" IS NULL;
CREATE INDEX "phone_numbers_phone_number_idx" ON "phone_numbers" ("phone_number");
DROP INDEX "phone_numbers_phone_number_key";

-- Which numbers the simulated carrier brings here, by workspace. "simulated_routes" stays for replicas of the version before.
CREATE TABLE "simulated_number_routes" (
  "workspace_id" uuid NOT NULL,
  "phone_number" text NOT NULL,
  "pointed_at" timestamptz(6) NOT NULL,
  CONSTRAINT "simulated_number_routes_pkey" PRIMARY KEY ("workspace_id", "phone_number")
);
INSERT INTO "simulated_number_routes" ("workspace_id", "phone_number", "pointed_at")
  SELECT n."workspace_id", r."phone_number", r."pointed_at" FROM "simulated_routes" r
  JOIN "phone_numbers" n ON n."phone_number" = r."phone_number";
