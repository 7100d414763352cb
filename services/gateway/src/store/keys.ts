import type { UseStore } from '../domain/access/use-recorder.ts';
import type { KeyType } from '../domain/keys/key-format.ts';
import type { KeyLookup } from '../domain/keys/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { LIMIT_COLUMNS } from './workspace-limits.ts';

export function createKeyStore(prisma: PrismaClient): KeyLookup & UseStore {
  return {
    findByHash: async (hash) => {
      const row = await prisma.apiKey.findUnique({
        where: { hash },
        select: {
          id: true,
          workspaceId: true,
          type: true,
          isActive: true,
          expiresAt: true,
          workspace: { select: LIMIT_COLUMNS },
        },
      });
      if (!row) return undefined;
      const { workspace, ...key } = row;
      return { ...key, type: key.type as KeyType, limits: workspace };
    },
    markUsed: async (ids, at) => {
      await prisma.apiKey.updateMany({ where: { id: { in: [...ids] } }, data: { lastUsedAt: at } });
    },
  };
}
