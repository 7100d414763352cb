-- A deleted knowledge base is gone for everybody at once; its documents, which may be a gigabyte, follow in batches.
ALTER TABLE knowledge_bases ADD COLUMN deleted_at timestamptz(6);
CREATE INDEX knowledge_bases_deleted_at_idx ON knowledge_bases (deleted_at) WHERE deleted_at IS NOT NULL;
