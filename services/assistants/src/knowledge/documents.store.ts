import { transaction } from '@parley/kit/db';
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { Tx } from '../transact.ts';
import type { KnowledgeDocument } from './document.ts';
import { insertPassages, type NewPassage } from './passage-terms.ts';

/** One snapshot for several queries. */
const SNAPSHOT = { isolationLevel: 'RepeatableRead' } as const;

export type DocumentStore = ReturnType<typeof createDocumentStore>;

/** Documents of bases that are known to belong to the workspace. */
export function createDocumentStore(prisma: PrismaClient) {
  return {
    /** Newest first. */
    page: (knowledgeBaseId: string, { limit, offset }: { limit: number; offset: number }) =>
      transaction(
        prisma,
        async (tx): Promise<{ items: KnowledgeDocument[]; total: number }> => ({
          total: await tx.knowledgeDocument.count({ where: { knowledgeBaseId } }),
          items: await tx.knowledgeDocument.findMany({
            where: { knowledgeBaseId },
            orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
            take: limit,
            skip: offset,
          }),
        }),
        SNAPSHOT,
      ),
    find: (knowledgeBaseId: string, id: string) =>
      transaction(
        prisma,
        async (tx) => {
          const document = await tx.knowledgeDocument.findFirst({ where: { knowledgeBaseId, id } });
          if (!document) return undefined;
          const passages = await tx.knowledgePassage.findMany({
            where: { documentId: document.id },
            select: { text: true },
            orderBy: { n: 'asc' },
          });
          return { document, text: passages.map(({ text }) => text).join('') };
        },
        SNAPSHOT,
      ),
    insert: async (
      tx: Tx,
      document: KnowledgeDocument,
      index: { number: string; titleWords: string; passages: readonly NewPassage[] },
    ): Promise<void> => {
      await tx.knowledgeDocument.create({ data: document, select: { id: true } });
      await tx.$executeRaw(insertPassages(document.id, index));
    },
    /** The number of its passages; undefined if the base has no such document. */
    remove: async (tx: Tx, knowledgeBaseId: string, id: string): Promise<number | undefined> => {
      const document = { id, knowledgeBaseId };
      const { count: passages } = await tx.knowledgePassage.deleteMany({ where: { document } });
      const { count } = await tx.knowledgeDocument.deleteMany({ where: document });
      return count > 0 ? passages : undefined;
    },
  };
}
