-- What happened to a call that no turn and no tool execution tells of (D6.12), written in the transaction of the change.
-- No foreign key, and a primary key that holds the instant: calls and their events can be partitioned by time.
CREATE TABLE "call_events" (
  "call_id" uuid NOT NULL,
  "at" timestamptz(6) NOT NULL,
  "seq" bigserial NOT NULL,
  "type" text NOT NULL,
  "detail" json NOT NULL DEFAULT '{}',
  CONSTRAINT "call_events_pkey" PRIMARY KEY ("call_id", "at", "seq"),
  CONSTRAINT "call_events_type_check" CHECK ("type" IN ('queued', 'dialing', 'ringing', 'answered', 'transfer',
    'machine_detected', 'inbound_webhook', 'ended', 'recording_stored', 'analyzed'))
);
