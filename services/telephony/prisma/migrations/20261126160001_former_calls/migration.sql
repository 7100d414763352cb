-- Calls that ended before the triggers existed. A migration of its own: the triggers lock the table while they are created, which a
-- million rows would make long. Nothing counts calls before it has ended.
INSERT INTO uncounted_calls (call_id, workspace_id) SELECT id, workspace_id FROM calls WHERE status = 'completed' ON CONFLICT DO NOTHING;
