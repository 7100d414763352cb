import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';
import { INSERT_PASSAGES } from '../../../services/assistants/src/store/passage-terms.ts';
import { text } from './language.ts';

const CHARACTERS = 1000;
const PER_DOCUMENT = 100;

const BASE = `
  INSERT INTO knowledge_bases (id, workspace_id, name, document_count, passage_count, created_at, updated_at)
  VALUES ($1::uuid, $2::uuid, 'Bench', $3, $4, now(), now()) RETURNING number::text AS number`;
const DOCUMENT = `
  INSERT INTO knowledge_documents (id, knowledge_base_id, title, size, created_at)
  VALUES ($1::uuid, $2::uuid, $3, 0, now())`;

export type Seeded = { id: string; workspaceId: string; number: string; texts: string[] };

/** A base of passages of a made-up language, written as the service writes them. */
export async function seedBase(sql: SqlClient, passages: number): Promise<Seeded> {
  const [id, workspaceId] = [randomUUID(), randomUUID()];
  const documents = passages / PER_DOCUMENT;
  const [row] = await sql.$queryRawUnsafe<{ number: string }[]>(BASE, id, workspaceId, documents, passages);
  const number = row?.number ?? '';
  const texts: string[] = [];
  const write = async (): Promise<void> => {
    const parts = Array.from({ length: PER_DOCUMENT }, () => text(CHARACTERS));
    const title = text(20);
    const documentId = randomUUID();
    await sql.$executeRawUnsafe(DOCUMENT, documentId, id, title);
    await sql.$executeRawUnsafe(INSERT_PASSAGES, documentId, number, title, parts, parts);
    texts.push(parts[0] ?? '');
  };
  let left = documents;
  const writer = async (): Promise<void> => {
    while (left-- > 0) await write();
  };
  await Promise.all([writer(), writer()]);
  return { id, workspaceId, number, texts };
}

/** Short passages of many other bases, a thousand each: they fill table and index, and no search is for them. */
export async function seedOthers(sql: SqlClient, passages: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO knowledge_bases (id, workspace_id, name, document_count, passage_count, created_at, updated_at)
     SELECT md5('base ' || b)::uuid, gen_random_uuid(), 'Other', 1, 1000, now(), now() FROM generate_series(1, $1::int / 1000) b`,
    passages,
  );
  await sql.$executeRawUnsafe(
    `INSERT INTO knowledge_documents (id, knowledge_base_id, title, size, created_at)
     SELECT b.id, b.id, 'Other', 0, now() FROM knowledge_bases b WHERE b.name = 'Other'`,
  );
  await sql.$executeRawUnsafe(
    `INSERT INTO knowledge_passages (document_id, n, text, terms)
     SELECT b.id, n, 'Other', (
       SELECT array_to_tsvector(array_agg(DISTINCT b.number || '.' || chr(97 + w) || floor(exp(random() * 9))::int))
       FROM generate_series(0, 11) w WHERE n > 0)
     FROM knowledge_bases b CROSS JOIN generate_series(1, 1000) n WHERE b.name = 'Other'`,
  );
}
