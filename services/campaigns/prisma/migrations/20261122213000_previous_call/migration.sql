-- What the contact's last call was before this attempt was dialled: if it did not leave after all, it is that one again.
ALTER TABLE attempts ADD COLUMN previous_call_id uuid;
