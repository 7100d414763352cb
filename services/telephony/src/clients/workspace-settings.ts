import { findSuspendedWorkspaces, getWorkspaceSettings } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { unlessNotFound } from '@parley/kit/errors';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import type { WorkspaceLimits, WorkspaceSettings } from './ports.ts';

/** Changes by an operator take effect within a real second. */
const TTL_MS = 1_000;
/** From this age on they are loaded again in the background: calls of a busy workspace never wait for the gateway. */
const REFRESH_MS = 500;
const MAX_WORKSPACES = 10_000;

/** The given workspaces that are suspended now. */
export function createFindSuspended(gateway: ServiceClient) {
  return async (ids: readonly string[]): Promise<string[]> => {
    const body = { workspace_ids: [...ids] };
    return (await gateway.call(findSuspendedWorkspaces, { body }, { workspaceId: NO_WORKSPACE })).suspended;
  };
}

/** While the gateway is unavailable, the last known settings apply. */
export function createWorkspaceSettings(gateway: ServiceClient, nowMs?: () => number): WorkspaceSettings {
  const load = async (workspaceId: string): Promise<WorkspaceLimits | null> => {
    const input = { params: { id: workspaceId } };
    const settings = await unlessNotFound(gateway.call(getWorkspaceSettings, input, { workspaceId }));
    if (!settings) return null;
    return {
      timeZone: settings.time_zone,
      currency: settings.currency,
      rateCents: settings.rate_cents,
      maxLiveCalls: settings.max_live_calls,
      webhookSecrets: settings.webhook_secrets,
      isSuspended: settings.suspended,
      allowedDestinations: settings.allowed_destinations,
      dailySpendLimitCents: settings.daily_spend_limit_cents,
    };
  };
  return createLoadingCache({
    load,
    maxEntries: MAX_WORKSPACES,
    ttlMs: TTL_MS,
    refreshAfterMs: REFRESH_MS,
    staleOnErrorMs: Number.POSITIVE_INFINITY,
    ...(nowMs ? { nowMs } : {}),
  });
}
