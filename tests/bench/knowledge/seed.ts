import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';
import type { Ask } from '../assistants/service.ts';
import { text } from './language.ts';

/** Length of a text that becomes one passage: the service splits at paragraphs, after about 1,000 characters. */
const CHARACTERS = 980;
const PER_DOCUMENT = 100;
const WRITERS = 2;

export type Seeded = { id: string; workspaceId: string; number: string; texts: string[] };

/** A base of passages in an artificial language, added through the API. */
export async function seedBase(ask: Ask, sql: SqlClient, passages: number): Promise<Seeded> {
  const workspaceId = randomUUID();
  const create = async (path: string, body: object): Promise<string> => {
    const response = await ask(workspaceId, 'POST', path, body);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { data: { id: string } }).data.id;
  };
  const id = await create('/v1/knowledge-base', { name: 'Bench' });
  const texts: string[] = [];
  let left = passages / PER_DOCUMENT;
  const writer = async (): Promise<void> => {
    while (left-- > 0) {
      const parts = Array.from({ length: PER_DOCUMENT }, () => text(CHARACTERS));
      await create(`/v1/knowledge-base/${id}/documents`, { title: text(20), text: parts.join('\n\n') });
      texts.push(parts[0] ?? '');
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  const [row] = await sql.$queryRaw<
    { number: string }[]
  >`SELECT number::text AS number FROM knowledge_bases WHERE id = ${id}::uuid`;
  return { id, workspaceId, number: row?.number ?? '', texts };
}

/** Short passages of many other bases, a thousand each, which fill table and index and are never searched. */
export async function seedOthers(sql: SqlClient, passages: number): Promise<void> {
  await sql.$executeRaw`INSERT INTO knowledge_bases (id, workspace_id, name, document_count, passage_count, created_at, updated_at)
     SELECT md5('base ' || b)::uuid, gen_random_uuid(), 'Other', 1, 1000, now(), now() FROM generate_series(1, ${passages}::int / 1000) b`;
  await sql.$executeRaw`INSERT INTO knowledge_documents (id, knowledge_base_id, title, size, created_at)
     SELECT b.id, b.id, 'Other', 0, now() FROM knowledge_bases b WHERE b.name = 'Other'`;
  await sql.$executeRaw`INSERT INTO knowledge_passages (document_id, n, text, terms)
     SELECT b.id, n, 'Other', (
       SELECT array_to_tsvector(array_agg(DISTINCT b.number || '.' || chr(97 + w) || floor(exp(random() * 9))::int))
       FROM generate_series(0, 11) w WHERE n > 0)
     FROM knowledge_bases b CROSS JOIN generate_series(1, 1000) n WHERE b.name = 'Other'`;
}
