/**
 * A statement that inserts or updates assistants `a`, and in it their links to knowledge bases as their `kbStoreIds` now
 * tell them. A base that is no more fails it: the foreign key has the last word.
 */
export const withKnowledgeLinks = (write: string): string => `
  WITH saved AS (${write} RETURNING a.id, a.config),
  named AS (
    SELECT saved.id AS assistant_id, listed.id::uuid AS knowledge_base_id
    FROM saved CROSS JOIN json_array_elements_text(saved.config -> 'kbStoreIds') AS listed (id)
  ), dropped AS (
    DELETE FROM knowledge_links l USING saved
    WHERE l.assistant_id = saved.id
      AND NOT EXISTS (SELECT FROM named n WHERE (n.assistant_id, n.knowledge_base_id) = (l.assistant_id, l.knowledge_base_id))
  )
  INSERT INTO knowledge_links (assistant_id, knowledge_base_id)
  SELECT assistant_id, knowledge_base_id FROM named ON CONFLICT DO NOTHING`;
