import type { CallWebhooks, CallWebhookView } from '../domain/events/call-webhooks.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export function createCallWebhooks(prisma: PrismaClient): CallWebhooks {
  return {
    find: async (workspaceId, callId) => {
      const events = await prisma.event.findMany({
        where: { workspaceId, callId },
        orderBy: [{ position: 'asc' }, { edition: 'asc' }],
        include: { log: { orderBy: [{ series: 'asc' }, { attempt: 'asc' }] } },
      });
      return events as CallWebhookView[];
    },
  };
}
