-- Knowledge bases: documents cut into passages, found by Postgres' full-text search.
CREATE TABLE knowledge_bases (
  id uuid PRIMARY KEY,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  -- Stands before every lexeme of the base's passages, so that the index has a list of passages per base and word, and a
  -- search costs what its own base is large, however many others there are.
  number bigint GENERATED ALWAYS AS IDENTITY,
  -- Moved in the transaction that adds or removes a document.
  document_count integer NOT NULL,
  passage_count integer NOT NULL,
  created_at timestamptz(6) NOT NULL,
  updated_at timestamptz(6) NOT NULL
);
CREATE UNIQUE INDEX knowledge_bases_number_key ON knowledge_bases (number);
CREATE INDEX knowledge_bases_workspace_id_created_at_id_idx ON knowledge_bases (workspace_id, created_at DESC, id DESC);

-- Which assistants name a knowledge base in `config.kbStoreIds`: written with the configuration, wherever that is saved.
-- No cascade from the base: who deletes one takes its id out of the configurations first.
CREATE TABLE knowledge_links (
  assistant_id uuid NOT NULL REFERENCES assistants (id) ON DELETE CASCADE ON UPDATE CASCADE,
  knowledge_base_id uuid NOT NULL REFERENCES knowledge_bases (id) ON DELETE NO ACTION ON UPDATE CASCADE,
  CONSTRAINT knowledge_links_pkey PRIMARY KEY (assistant_id, knowledge_base_id)
);
CREATE INDEX knowledge_links_knowledge_base_id_assistant_id_idx ON knowledge_links (knowledge_base_id, assistant_id);

-- A document without its text: that is its passages, put together.
CREATE TABLE knowledge_documents (
  id uuid PRIMARY KEY,
  -- Checked at the commit: a document takes the lock of its base last, when it moves the base's counters. Taken at the
  -- first row it would meet a deletion of the base the wrong way round.
  knowledge_base_id uuid NOT NULL REFERENCES knowledge_bases (id) ON DELETE CASCADE ON UPDATE CASCADE
    DEFERRABLE INITIALLY DEFERRED,
  title text NOT NULL,
  -- Bytes of the text.
  size integer NOT NULL,
  created_at timestamptz(6) NOT NULL
);
CREATE INDEX knowledge_documents_knowledge_base_id_created_at_id_idx
  ON knowledge_documents (knowledge_base_id, created_at DESC, id DESC);

-- Rows are kept narrow, with text and terms out of line: a search visits thousands of rows for what the index says of
-- them, and opens a few.
CREATE TABLE knowledge_passages (
  document_id uuid NOT NULL REFERENCES knowledge_documents (id) ON DELETE CASCADE ON UPDATE CASCADE,
  n integer NOT NULL,
  text text NOT NULL,
  -- `<number>.<lexeme>` of title and text with positions, and `<number>=<lexeme>` for the title alone.
  terms tsvector NOT NULL,
  CONSTRAINT knowledge_passages_pkey PRIMARY KEY (document_id, n)
) WITH (toast_tuple_target = 128);
-- What waits to be merged into the index is read by every search, so it is kept short.
CREATE INDEX knowledge_passages_terms_idx ON knowledge_passages USING gin (terms)
  WITH (fastupdate = on, gin_pending_list_limit = 512);
