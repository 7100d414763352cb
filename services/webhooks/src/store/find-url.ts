import type { FindUrl } from '../domain/endpoints/test-endpoint.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export function createFindUrl(prisma: PrismaClient): FindUrl {
  return async (workspaceId, agentId) =>
    (await prisma.endpoint.findFirst({ where: { workspaceId, agentId }, select: { url: true } }))?.url;
}
