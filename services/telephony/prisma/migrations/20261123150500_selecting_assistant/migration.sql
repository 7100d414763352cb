-- An inbound or web call rings while its assistant is selected: a phase of its own, which agent_version 0 encoded before.
-- Existing rows satisfy the wider check, so they are not scanned for it.
ALTER TABLE "calls"
  DROP CONSTRAINT "calls_phase_check",
  ADD CONSTRAINT "calls_phase_check" CHECK (
    "phase" IN ('queued', 'dialing', 'unknown', 'selecting_assistant', 'ringing', 'up', 'ended')
  ) NOT VALID;

UPDATE "calls" SET "phase" = 'selecting_assistant'
WHERE "status" <> 'completed' AND "phase" = 'ringing' AND "agent_version" = 0 AND "call_type" <> 'outbound';
