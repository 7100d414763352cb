-- The public key that created a web call, which bounds its calls at once, and how long it may last (D12.3).
ALTER TABLE "calls" ADD COLUMN "public_key_id" UUID, ADD COLUMN "max_duration_seconds" INTEGER;
