import { transaction } from '@parley/kit/db';
import type { CallWebhooks, CallWebhookView } from '../domain/events/call-webhooks.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';

export function createCallWebhooks(prisma: PrismaClient): CallWebhooks {
  return {
    find: async (workspaceId, callId) => {
      // Events and attempts are two queries: one snapshot, so that an attempt never shows without its verdict.
      const events = await transaction(
        prisma,
        (tx) =>
          tx.event.findMany({
            where: { workspaceId, callId },
            orderBy: [{ position: 'asc' }, { edition: 'asc' }],
            include: { log: { orderBy: [{ series: 'asc' }, { attempt: 'asc' }] } },
          }),
        { isolationLevel: 'RepeatableRead' },
      );
      return events as CallWebhookView[];
    },
  };
}
