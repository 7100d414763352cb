-- The calls that ended before. A migration of its own: with millions of calls it takes minutes, in which it blocks nothing. Nothing takes calls
-- from the table before it has ended. Calls that ended meanwhile are in the table already.
INSERT INTO uncounted_outcomes (call_id, workspace_id) SELECT id, workspace_id FROM calls WHERE status = 'completed' ON CONFLICT DO NOTHING;
