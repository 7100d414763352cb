-- What a client requests of the recording of a live call, and what its worker has done: null (it is recorded), 'pausing', 'paused' or 'resuming'.
ALTER TABLE "calls" ADD COLUMN "recording_pause" text;
