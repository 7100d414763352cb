import type { KeyType } from '../domain/keys/key-format.ts';
import type { KeyLookup, KeyUse } from '../domain/keys/ports.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export function createKeyStore(prisma: PrismaClient): KeyLookup & KeyUse {
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
          workspace: { select: { requestsPerMinute: true } },
        },
      });
      if (!row) return undefined;
      const { workspace, ...key } = row;
      return { ...key, type: key.type as KeyType, requestsPerMinute: workspace.requestsPerMinute };
    },
    markUsed: async (ids, at) => {
      await prisma.apiKey.updateMany({ where: { id: { in: [...ids] } }, data: { lastUsedAt: at } });
    },
  };
}
