import type { Sql } from '@parley/kit/db';
import type { KnowledgeDocument } from '../domain/knowledge/document.ts';
import type { DocumentStore } from '../domain/knowledge/ports.ts';
import { INSERT_PASSAGES } from './passage-terms.ts';

type Row = { id: string; knowledge_base_id: string; title: string; size: number; created_at: Date };

const COLUMNS = 'd.id, d.knowledge_base_id, d.title, d.size, d.created_at';
const PAGE = `
  WITH page AS (
    SELECT id FROM knowledge_documents WHERE knowledge_base_id = $1::uuid
    ORDER BY created_at DESC, id DESC LIMIT $2::int OFFSET $3::bigint
  )
  SELECT t.total, ${COLUMNS}
  FROM (SELECT count(*)::int AS total FROM knowledge_documents WHERE knowledge_base_id = $1::uuid) t
  LEFT JOIN (page JOIN knowledge_documents d USING (id)) ON true
  ORDER BY d.created_at DESC, d.id DESC`;
// Nothing was left out between the passages.
const FIND = `
  SELECT ${COLUMNS}, (SELECT string_agg(p.text, '' ORDER BY p.n) FROM knowledge_passages p WHERE p.document_id = d.id) AS text
  FROM knowledge_documents d WHERE d.knowledge_base_id = $1::uuid AND d.id = $2::uuid`;

const INSERT = `
  INSERT INTO knowledge_documents (knowledge_base_id, id, title, size, created_at)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5::timestamptz)`;
const REMOVE_PASSAGES = `
  DELETE FROM knowledge_passages p USING knowledge_documents d
  WHERE d.knowledge_base_id = $1::uuid AND d.id = $2::uuid AND p.document_id = d.id`;
const REMOVE = 'DELETE FROM knowledge_documents WHERE knowledge_base_id = $1::uuid AND id = $2::uuid';

export function createDocumentStore(sql: Sql): DocumentStore {
  return {
    page: async (knowledgeBaseId, { limit, offset }) => {
      const rows = await sql.$queryRawUnsafe<(Row & { total: number })[]>(
        PAGE,
        knowledgeBaseId,
        limit,
        offset,
      );
      // An empty page is one row that only tells the total.
      const items = rows.filter(({ id }) => id !== null).map(toDocument);
      return { items, total: rows[0]?.total ?? 0 };
    },
    find: async (knowledgeBaseId, id) => {
      const [row] = await sql.$queryRawUnsafe<(Row & { text: string })[]>(FIND, knowledgeBaseId, id);
      return row && { document: toDocument(row), text: row.text };
    },
    insert: async (tx, { knowledgeBaseId, id, title, size, createdAt }, { number, titleWords, passages }) => {
      await tx.$executeRawUnsafe(INSERT, knowledgeBaseId, id, title, size, createdAt.toISOString());
      const texts = passages.map(({ text }) => text);
      const words = passages.map((passage) => passage.words);
      await tx.$executeRawUnsafe(INSERT_PASSAGES, id, number, titleWords, texts, words);
    },
    remove: async (tx, knowledgeBaseId, id) => {
      const passages = await tx.$executeRawUnsafe(REMOVE_PASSAGES, knowledgeBaseId, id);
      return (await tx.$executeRawUnsafe(REMOVE, knowledgeBaseId, id)) > 0 ? passages : undefined;
    },
  };
}

function toDocument(row: Row): KnowledgeDocument {
  return {
    id: row.id,
    knowledgeBaseId: row.knowledge_base_id,
    title: row.title,
    size: row.size,
    createdAt: row.created_at,
  };
}
