import type { AttentionItem } from '@parley/contracts';
import type { SqlClient } from '@parley/kit/db';
import { type Clock, toIsoMillis } from '@parley/kit/time';
import type { EndpointHealth, EndpointStore } from '../endpoints/endpoints.store.ts';
import { findExhausted } from './exhausted.store.ts';

export type AttentionDeps = { prisma: SqlClient; endpoints: Pick<EndpointStore, 'page'>; clock: Clock };

const SINCE_MS = 7 * 86_400_000;
const PAGE = 100;
const MAX_PAGES = 5;
const MAX_SHOWN = 20;

/** What needs attention in the deliveries of a workspace's last seven days [analytics.10]. */
export async function findAttention(
  { prisma, endpoints, clock }: AttentionDeps,
  workspaceId: string,
): Promise<AttentionItem[]> {
  const since = new Date(clock.now().getTime() - SINCE_MS);
  const exhausted = await findExhausted(prisma, workspaceId, since);
  const failing: AttentionItem[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, total } = await endpoints.page(workspaceId, { limit: PAGE, offset: page * PAGE });
    failing.push(...items.flatMap((endpoint) => toFailing(endpoint, since)));
    if ((page + 1) * PAGE >= total) break;
  }
  const newest = failing.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, MAX_SHOWN);
  return [...newest, ...exhausted];
}

/** An endpoint fails while its last attempt did. */
function toFailing({ lastError, lastSuccessAt, ...endpoint }: EndpointHealth, since: Date): AttentionItem[] {
  if (!lastError || lastError.at < since || (lastSuccessAt && lastSuccessAt >= lastError.at)) return [];
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
