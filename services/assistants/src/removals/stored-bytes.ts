import { storedBytesOf } from '@parley/contracts';
import type { SqlClient, Transactional } from '@parley/kit/db';
import { type App, mount } from '@parley/kit/http';
import { createStoredBytes, type StoredTable } from '@parley/kit/usage';

/** Tables that grow with a workspace's use. */
const TABLES: readonly StoredTable[] = [
  { name: 'assistants' },
  { name: 'tools' },
  {
    name: 'knowledge_documents',
    parent: {
      column: 'knowledge_base_id',
      join: 'JOIN knowledge_bases b ON b.id = t.knowledge_base_id',
      workspace: 'b.workspace_id',
    },
  },
  {
    name: 'knowledge_passages',
    parent: {
      column: 'document_id',
      join: 'JOIN knowledge_documents d ON d.id = t.document_id JOIN knowledge_bases b ON b.id = d.knowledge_base_id',
      workspace: 'b.workspace_id',
    },
  },
  { name: 'idempotency_keys' },
  { name: 'outbox_contents' },
];

export function mountStoredBytes(app: App, { prisma }: { prisma: Transactional<SqlClient> }): void {
  const measure = createStoredBytes(prisma, TABLES);
  mount(app, storedBytesOf('assistants'), measure);
}
