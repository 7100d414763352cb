import type { AttentionItem } from '@parley/contracts';
import type { SqlClient } from '@parley/kit/db';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { EndpointHealth, EndpointStore } from '../endpoints/endpoints.store.ts';
import { findExhausted } from './exhausted.store.ts';

export type AttentionDeps = { prisma: SqlClient; endpoints: Pick<EndpointStore, 'failing'>; clock: Clock };

const SINCE_MS = 7 * 86_400_000;
const MAX_SHOWN = 20;

/** What needs attention in the deliveries of a workspace's last seven days [analytics.10]. */
export async function findAttention(
  { prisma, endpoints, clock }: AttentionDeps,
  workspaceId: string,
): Promise<AttentionItem[]> {
  const since = new Date(clock.now().getTime() - SINCE_MS);
  const [failing, exhausted] = await Promise.all([
    endpoints.failing(workspaceId, since, MAX_SHOWN),
    findExhausted(prisma, workspaceId, since),
  ]);
  return [...failing.flatMap(toFailing), ...exhausted];
}

function toFailing({ lastError, lastSuccessAt, ...endpoint }: EndpointHealth): AttentionItem[] {
  if (!lastError) return [];
  const { recentAttempts, recentDelivered } = endpoint;
  return [
    {
      type: 'webhook_endpoint_failing',
      url: endpoint.url,
      agent_ids: endpoint.agentIds,
      success_rate: recentAttempts === 0 ? 0 : recentDelivered / recentAttempts,
      waiting_events: endpoint.waitingEvents,
      last_success_at: lastSuccessAt && toIsoMillis(lastSuccessAt),
      ...lastError,
      at: toIsoMillis(lastError.at),
    },
  ];
}
