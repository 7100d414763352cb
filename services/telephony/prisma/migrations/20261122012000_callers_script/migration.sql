-- A list that may be missing is more than an array column can be in the Prisma schema.
ALTER TABLE "simulated_legs" ALTER COLUMN "script" TYPE json USING to_json("script");
