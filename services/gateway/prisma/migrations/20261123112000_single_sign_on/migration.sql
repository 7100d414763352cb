-- Whom a provider of single sign-on means by a subject (D12.8).
CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_at timestamptz(6) NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_person_id_idx ON identities (person_id);

-- Whether a membership came by an invitation, or follows the groups that the provider says.
ALTER TABLE members ADD COLUMN source text NOT NULL DEFAULT 'invitation' CHECK (source IN ('invitation', 'groups'));
CREATE INDEX members_email_idx ON members (email);
