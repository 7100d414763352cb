-- Challenges of the second factor that have opened a session: each opens one.
CREATE TABLE used_challenges (
  -- The MAC of the challenge.
  mac text PRIMARY KEY,
  -- In real time. The challenge itself has expired by then.
  expires_at timestamptz(6) NOT NULL
);
CREATE INDEX used_challenges_expires_at_idx ON used_challenges (expires_at);
