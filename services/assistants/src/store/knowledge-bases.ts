import type { Sql } from '@parley/kit/db';
import { isUuid } from '@parley/kit/ids';
import type { KnowledgeBase } from '../domain/knowledge/knowledge-base.ts';
import type { IndexedBase, KnowledgeBaseStore } from '../domain/knowledge/ports.ts';
import { caseless } from './caseless.ts';

type Row = {
  id: string;
  workspace_id: string;
  name: string;
  document_count: number;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = 'b.id, b.workspace_id, b.name, b.document_count, b.created_at, b.updated_at';
const HERE = 'b.workspace_id = $1::uuid AND b.deleted_at IS NULL';
const OURS = `${HERE} AND b.id = $2::uuid`;
const FIND = `SELECT ${COLUMNS} FROM knowledge_bases b WHERE ${OURS}`;
const INDEXED = `
  SELECT b.id, b.number::text AS number, b.passage_count AS "passageCount" FROM knowledge_bases b
  WHERE ${HERE} AND b.id = ANY ($2::uuid[])`;
const PAGE = `
  WITH matches AS NOT MATERIALIZED (
    SELECT b.id, b.created_at FROM knowledge_bases b
    WHERE ${HERE} AND ($2::text IS NULL OR strpos(${caseless('b.name')}, (SELECT ${caseless('$2')})) > 0)
  ), page AS (
    SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT $3::int OFFSET $4::bigint
  )
  SELECT t.total, ${COLUMNS}
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN (page JOIN knowledge_bases b USING (id)) ON true
  ORDER BY b.created_at DESC, b.id DESC`;

const INSERT = `
  INSERT INTO knowledge_bases (id, workspace_id, name, document_count, passage_count, created_at, updated_at)
  VALUES ($1::uuid, $2::uuid, $3, 0, 0, $4::timestamptz, $4::timestamptz)`;
const COUNT = `
  UPDATE knowledge_bases b SET document_count = b.document_count + $3::int, passage_count = b.passage_count + $4::int,
    updated_at = greatest(b.updated_at, $5::timestamptz)
  WHERE ${OURS}`;
const REMOVE = `UPDATE knowledge_bases b SET deleted_at = $3::timestamptz WHERE ${OURS}`;
const SWEEP_DOCUMENTS = `
  DELETE FROM knowledge_documents WHERE id IN (
    SELECT d.id FROM knowledge_bases b JOIN knowledge_documents d ON d.knowledge_base_id = b.id
    WHERE b.deleted_at IS NOT NULL LIMIT $1::int FOR UPDATE OF d SKIP LOCKED)`;
const SWEEP = `
  DELETE FROM knowledge_bases b WHERE b.deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM knowledge_documents d WHERE d.knowledge_base_id = b.id)`;

// Whoever holds an assistant must not wait for a base: its deletion waits for assistants. One that is being deleted is
// skipped; the weakest lock, which the counting of documents doesn't hinder, keeps the others.
const EXISTING = `
  SELECT b.id FROM knowledge_bases b WHERE ${HERE} AND b.id = ANY ($2::uuid[])
  FOR KEY SHARE SKIP LOCKED`;
const LIVING = `SELECT b.id FROM knowledge_bases b WHERE ${HERE} AND b.id = ANY ($2::uuid[]) LIMIT 1`;
const HOLD = `SELECT b.id FROM knowledge_bases b WHERE ${OURS} FOR NO KEY UPDATE`;
const HOLD_ALONE = `SELECT b.id FROM knowledge_bases b WHERE ${OURS} FOR UPDATE`;

export function createKnowledgeBaseStore(sql: Sql): KnowledgeBaseStore {
  const ids = (tx: Sql, query: string, ...values: unknown[]) =>
    tx.$queryRawUnsafe<{ id: string }[]>(query, ...values);

  return {
    find: async (workspaceId, id) => {
      const [row] = await sql.$queryRawUnsafe<Row[]>(FIND, workspaceId, id);
      return row && toKnowledgeBase(row);
    },
    page: async (workspaceId, { search, limit, offset }) => {
      const values = [workspaceId, search ?? null, limit, offset];
      const rows = await sql.$queryRawUnsafe<(Row & { total: number })[]>(PAGE, ...values);
      // An empty page is one row that only tells the total.
      const items = rows.filter(({ id }) => id !== null).map(toKnowledgeBase);
      return { items, total: rows[0]?.total ?? 0 };
    },
    findIndexed: (workspaceId, wanted) =>
      sql.$queryRawUnsafe<IndexedBase[]>(INDEXED, workspaceId, [...wanted]),
    existing: async (tx, workspaceId, wanted) => {
      const rows = await ids(tx, EXISTING, workspaceId, wanted.filter(isUuid));
      return new Set(rows.map(({ id }) => id));
    },
    isOneThere: async (tx, workspaceId, wanted) =>
      (await ids(tx, LIVING, workspaceId, [...wanted])).length > 0,
    insert: async (tx, { id, workspaceId, name, createdAt }) => {
      await tx.$executeRawUnsafe(INSERT, id, workspaceId, name, createdAt.toISOString());
    },
    hold: async (tx, workspaceId, id) => (await ids(tx, HOLD, workspaceId, id)).length > 0,
    holdAlone: async (tx, workspaceId, id) => (await ids(tx, HOLD_ALONE, workspaceId, id)).length > 0,
    count: async (tx, workspaceId, id, { documents, passages, at }) => {
      const values = [workspaceId, id, documents, passages, at.toISOString()];
      return (await tx.$executeRawUnsafe(COUNT, ...values)) > 0;
    },
    remove: async (tx, workspaceId, id, at) => {
      await tx.$executeRawUnsafe(REMOVE, workspaceId, id, at.toISOString());
    },
    sweep: async (documents) => {
      if ((await sql.$executeRawUnsafe(SWEEP_DOCUMENTS, documents)) > 0) return true;
      await sql.$executeRawUnsafe(SWEEP);
      return false;
    },
  };
}

function toKnowledgeBase(row: Row): KnowledgeBase {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    documentCount: row.document_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
