-- Up to which id a campaign's contacts may be looked for. Those of an upload that is being written lie behind it: whoever
-- asks who is due would step over a million of them that he can't see yet, each time. Unbounded where nobody set it.
ALTER TABLE campaigns ADD COLUMN last_contact_id uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff';
