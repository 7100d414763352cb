import { toOffsetPage } from '@parley/kit/http';
import { toIsoMillis } from '@parley/kit/time';
import type { EndpointHealth, EndpointStore } from './endpoints.store.ts';

/** `GET /v1/webhook-endpoint`. */
export async function listEndpoints(
  { endpoints }: { endpoints: Pick<EndpointStore, 'page'> },
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const { items, total } = await endpoints.page(workspaceId, { limit, offset });
  return toOffsetPage({ offset }, { items: items.map(toItem), total });
}

function toItem({ lastSuccessAt, lastError, ...health }: EndpointHealth) {
  const { recentAttempts, recentDelivered } = health;
  return {
    url: health.url,
    assistant_count: health.assistantCount,
    agent_ids: health.agentIds,
    waiting_events: health.waitingEvents,
    recent_attempts: recentAttempts,
    success_rate: recentAttempts === 0 ? null : recentDelivered / recentAttempts,
    latency_p50_ms: health.latencyP50Ms,
    latency_p95_ms: health.latencyP95Ms,
    last_success_at: lastSuccessAt && toIsoMillis(lastSuccessAt),
    last_error: lastError && { ...lastError, at: toIsoMillis(lastError.at) },
  };
}
