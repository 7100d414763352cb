-- Where the recording is stored, if not under the default key: an erasure that restarts the job changes it.
ALTER TABLE recording_jobs ADD COLUMN key text;
