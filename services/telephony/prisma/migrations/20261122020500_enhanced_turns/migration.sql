-- The turns that a transcript fix heard on the recording (D6.8): what every later telling of the call takes for its transcript.
ALTER TABLE "calls" ADD COLUMN "enhanced_turns" json;
