-- What a search of the list looks into: the name without its case, however its accents were typed (NFC), and with one
-- small sigma, which otherwise depends on the letters beside it. By ICU, so that the database's own locale doesn't matter.
-- Collated by bytes: nobody sorts by it, and it is compared letter by letter.
ALTER TABLE assistants ADD COLUMN search_name text COLLATE "C"
  GENERATED ALWAYS AS (translate(lower(normalize(agent_name) COLLATE "und-x-icu"), 'ς', 'σ')) STORED;

-- The list is counted, searched and put in order by this index alone; the rows with their documents are read for one page.
CREATE INDEX assistants_list_idx ON assistants (workspace_id, updated_at DESC, id DESC) INCLUDE (search_name);
DROP INDEX assistants_workspace_id_updated_at_id_idx;

-- An index answers alone only for pages of the table that vacuum has seen since their last change: it has to come after a
-- fiftieth of the rows, not a fifth.
ALTER TABLE assistants SET (autovacuum_vacuum_scale_factor = 0.02);
