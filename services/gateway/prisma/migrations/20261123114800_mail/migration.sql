-- Mails that wait to be sent (D12.7), written in the transaction of what they tell of.
CREATE TABLE mails (
  id uuid PRIMARY KEY,
  -- Sealed: it holds links that let people in.
  payload text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- In the database's real time: when it is tried next, and until when whoever has claimed it may take.
  due_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX mails_due_at_idx ON mails (due_at);

-- What a mailed link shows, once: that its reader has the address.
CREATE TABLE mail_tokens (
  -- HMAC-SHA256 of the token under the server's pepper, hex.
  hash text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('proof', 'reset')),
  email text NOT NULL,
  -- Of a proof: the account that asked for it.
  person_id uuid REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  expires_at timestamptz(6) NOT NULL
);
CREATE INDEX mail_tokens_expires_at_idx ON mail_tokens (expires_at);
CREATE INDEX mail_tokens_person_id_idx ON mail_tokens (person_id);
