-- How many calls a worker carries at most; null for workers of the version before. KEDA's query reads it.
ALTER TABLE "call_workers" ADD COLUMN "max_calls" integer;
