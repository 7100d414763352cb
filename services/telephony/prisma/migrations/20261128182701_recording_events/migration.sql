-- The timeline also reports pauses of the recording. The rows of before are of fewer types, so they need no check.
ALTER TABLE "call_events" DROP CONSTRAINT "call_events_type_check";
ALTER TABLE "call_events" ADD CONSTRAINT "call_events_type_check" CHECK ("type" IN ('queued', 'dialing', 'ringing', 'answered', 'transfer',
  'machine_detected', 'dtmf', 'inbound_webhook', 'recording', 'ended', 'recording_stored', 'analyzed', 'transcription_failed')) NOT VALID;
