import { queryRow, queryRows, sql } from '@parley/kit/db';
import { isUuid } from '@parley/kit/ids';
import { z } from 'zod';
import { caseless } from '../caseless.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Tx } from '../transact.ts';
import type { KnowledgeBase } from './knowledge-base.ts';

const idRow = z.object({ id: z.string() });
/** `id` is null in the only row of an empty page, which has the total. */
const pageRow = z.object({ total: z.number(), id: z.string().nullable() });

export type KnowledgeBaseStore = ReturnType<typeof createKnowledgeBaseStore>;

export function createKnowledgeBaseStore(prisma: PrismaClient) {
  return {
    find: async (workspaceId: string, id: string): Promise<KnowledgeBase | undefined> =>
      (await prisma.knowledgeBase.findFirst({ where: { workspaceId, id, deletedAt: null } })) ?? undefined,
    /** Newest first. SQL: search folds case and accents by ICU, which Prisma cannot express. */
    page: async (
      workspaceId: string,
      { search, limit, offset }: { search?: string | undefined; limit: number; offset: number },
    ) => {
      const matching =
        search === undefined
          ? sql``
          : sql`AND strpos(${caseless(sql`name`)}, (SELECT ${caseless(sql`${search}`)})) > 0`;
      const statement = sql`
        WITH matches AS NOT MATERIALIZED (
          SELECT id, created_at FROM knowledge_bases
          WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL ${matching}
        )
        SELECT t.total, p.id
        FROM (SELECT count(*)::int AS total FROM matches) t
        LEFT JOIN (
          SELECT id, created_at FROM matches ORDER BY created_at DESC, id DESC LIMIT ${limit}::int OFFSET ${offset}::bigint
        ) p ON true
        ORDER BY p.created_at DESC, p.id DESC`;
      const rows = await queryRows(prisma, pageRow, statement);
      const items: KnowledgeBase[] = await prisma.knowledgeBase.findMany({
        where: { id: { in: rows.flatMap(({ id }) => id ?? []) } },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return { items, total: rows[0]?.total ?? 0 };
    },
    /** The bases among `ids`, with their number in the passage index and their size. */
    findIndexed: async (workspaceId: string, ids: readonly string[]) => {
      const bases = await prisma.knowledgeBase.findMany({
        where: { workspaceId, deletedAt: null, id: { in: [...ids] } },
        select: { id: true, number: true, passageCount: true },
      });
      return bases.map(({ number, ...base }) => ({ ...base, number: String(number) }));
    },
    /**
     * The ids that are knowledge bases of the workspace, in lower case, protected from deletion until the transaction ends.
     * Does not wait, because assistants are locked before and a deletion locks assistants after its base: bases that are just
     * being deleted are skipped. The weakest lock, so that documents can still be counted.
     */
    lockExisting: async (
      tx: Tx,
      workspaceId: string,
      ids: readonly string[],
    ): Promise<ReadonlySet<string>> => {
      const statement = sql`
        SELECT id FROM knowledge_bases
        WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND id = ANY (${ids.filter(isUuid)}::uuid[])
        FOR KEY SHARE SKIP LOCKED`;
      return new Set((await queryRows(tx, idRow, statement)).map(({ id }) => id));
    },
    /** Whether one of the ids is a knowledge base, including one whose deletion has not been committed. */
    hasAny: async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<boolean> =>
      (await tx.knowledgeBase.findFirst({
        where: { workspaceId, deletedAt: null, id: { in: [...ids] } },
        select: { id: true },
      })) !== null,
    insert: async (tx: Tx, base: KnowledgeBase): Promise<void> => {
      await tx.knowledgeBase.create({ data: { ...base, passageCount: 0 }, select: { id: true } });
    },
    /** Blocks changes of its documents until the transaction ends; false if it does not exist. */
    lock: async (tx: Tx, workspaceId: string, id: string): Promise<boolean> => {
      const statement = sql`
        SELECT id FROM knowledge_bases
        WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND id = ${id}::uuid FOR NO KEY UPDATE`;
      return (await queryRow(tx, idRow, statement)) !== undefined;
    },
    /** Also blocks assistants from using it. */
    lockForDeletion: async (tx: Tx, workspaceId: string, id: string): Promise<boolean> => {
      const statement = sql`
        SELECT id FROM knowledge_bases
        WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND id = ${id}::uuid FOR UPDATE`;
      return (await queryRow(tx, idRow, statement)) !== undefined;
    },
    /** Adds to its counters and locks it from then on; false if it does not exist. */
    count: async (
      tx: Tx,
      workspaceId: string,
      id: string,
      { documents, passages, at }: { documents: number; passages: number; at: Date },
    ): Promise<boolean> => {
      const changed = await tx.$executeRaw`
        UPDATE knowledge_bases SET document_count = document_count + ${documents}::int,
          passage_count = passage_count + ${passages}::int, updated_at = greatest(updated_at, ${at}::timestamptz)
        WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL AND id = ${id}::uuid`;
      return changed > 0;
    },
    /** Hides it at once; its documents are deleted by `sweep`. No assistant may use it any more. */
    remove: async (tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> => {
      await tx.knowledgeBase.updateMany({
        where: { workspaceId, id, deletedAt: null },
        data: { deletedAt: at },
      });
    },
    /** Deletes up to `limit` documents of deleted bases, then the bases; false when none are left. */
    sweep: async (limit: number): Promise<boolean> => {
      const documents = await prisma.$executeRaw`
        DELETE FROM knowledge_documents WHERE id IN (
          SELECT d.id FROM knowledge_bases b JOIN knowledge_documents d ON d.knowledge_base_id = b.id
          WHERE b.deleted_at IS NOT NULL LIMIT ${limit}::int FOR UPDATE OF d SKIP LOCKED)`;
      if (documents > 0) return true;
      await prisma.knowledgeBase.deleteMany({ where: { deletedAt: { not: null }, documents: { none: {} } } });
      return false;
    },
  };
}
