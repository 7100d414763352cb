-- The W3C trace context of the message that the event came by: its attempts are parts of that trace. Null where traces
-- are not kept.
ALTER TABLE events ADD COLUMN traceparent TEXT;
