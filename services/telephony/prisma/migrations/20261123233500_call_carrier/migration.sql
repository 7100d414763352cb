-- The carrier of a call, and what it needs to continue the call in another worker. Null: calls of the version before, which
-- knew one carrier.
ALTER TABLE calls ADD COLUMN carrier text, ADD COLUMN carrier_state json;
