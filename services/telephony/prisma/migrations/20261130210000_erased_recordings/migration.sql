-- Words of the call were erased while its recording was still to be made. The row stays until what earlier claims may have stored is removed,
-- and the erasure waits for that.
ALTER TABLE "recording_jobs" ADD COLUMN "erased" boolean NOT NULL DEFAULT false;
