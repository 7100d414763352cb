import type { DeliveryReason } from '@parley/contracts';
import { toIsoMillis } from '@parley/kit/time';

/** How many of its last attempts tell how an endpoint is doing. */
export const RECENT_ATTEMPTS = 100;

export type EndpointHealth = {
  url: string;
  assistantCount: number;
  agentIds: string[];
  waitingEvents: number;
  /** The last attempts of any kind, and how many of them were delivered. */
  recentAttempts: number;
  recentDelivered: number;
  lastSuccessAt: Date | null;
  lastError: { at: Date; reason: DeliveryReason; status: number; error: string | null } | null;
};

export type EndpointHealths = {
  page(
    workspaceId: string,
    slice: { limit: number; offset: number },
  ): Promise<{ items: EndpointHealth[]; total: number }>;
};

/** `GET /v1/webhook-endpoint`. */
export async function listEndpoints(
  { healths }: { healths: EndpointHealths },
  workspaceId: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const { items, total } = await healths.page(workspaceId, { limit, offset });
  const next = offset + items.length;
  return {
    items: items.map(toItem),
    total,
    nextCursor: next < total && items.length > 0 ? String(next) : null,
  };
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
    last_success_at: lastSuccessAt && toIsoMillis(lastSuccessAt),
    last_error: lastError && { ...lastError, at: toIsoMillis(lastError.at) },
  };
}
