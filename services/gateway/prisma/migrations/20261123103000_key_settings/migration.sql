-- What a key is limited to (D12.3, D12.14), as the contracts name it; what is missing or null is the default.
ALTER TABLE "api_keys" ADD COLUMN "settings" JSONB NOT NULL DEFAULT '{}';
