import type { SqlClient } from '@parley/kit/db';
import { toIsoMillis } from '@parley/kit/time';
import { findFailed } from './failed.store.ts';

/** `GET /v1/webhook-event/failed` [webhooks.25]. */
export async function listFailedWebhooks(
  { prisma }: { prisma: SqlClient },
  workspaceId: string,
  page: { limit: number; offset: number },
) {
  const { items, hasMore, total } = await findFailed(prisma, workspaceId, page);
  return {
    items: items.map(({ callId, agentId, createdAt, ...event }) => ({
      ...event,
      call_id: callId,
      agent_id: agentId,
      created_at: toIsoMillis(createdAt),
    })),
    total,
    nextCursor: hasMore ? String(page.offset + items.length) : null,
  };
}
