import { findSuspendedWorkspaces, getWorkspaceSettings } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { WorkspaceLimits, WorkspaceSettings } from './ports.ts';

/** Changes by an operator take effect within a real second. */
const FRESH_MS = 1_000;

type Known = { limits: WorkspaceLimits; askedMs: number };

/** The given workspaces that are suspended now. */
export function createFindSuspended(gateway: ServiceClient) {
  return async (ids: readonly string[]): Promise<string[]> => {
    const body = { workspace_ids: [...ids] };
    return (await gateway.call(findSuspendedWorkspaces, { body }, { workspaceId: NO_WORKSPACE })).suspended;
  };
}

/** Settings are small and change seldom: every workspace that was ever asked for stays known. */
export function createWorkspaceSettings(gateway: ServiceClient, nowMs = monotonicMs): WorkspaceSettings {
  const known = new Map<string, Known>();

  const keep = (workspaceId: string, limits: WorkspaceLimits): WorkspaceLimits => {
    known.set(workspaceId, { limits, askedMs: nowMs() });
    return limits;
  };

  const ask = async (workspaceId: string): Promise<WorkspaceLimits> => {
    const settings = await gateway.call(
      getWorkspaceSettings,
      { params: { id: workspaceId } },
      { workspaceId },
    );
    return {
      rateCents: settings.rate_cents,
      maxLiveCalls: settings.max_live_calls,
      webhookSecrets: settings.webhook_secrets,
      isSuspended: settings.suspended,
      allowedDestinations: settings.allowed_destinations,
      dailySpendLimitCents: settings.daily_spend_limit_cents,
    };
  };

  return {
    get: async (workspaceId) => {
      const last = known.get(workspaceId);
      if (last && nowMs() - last.askedMs < FRESH_MS) return last.limits;
      try {
        return keep(workspaceId, await ask(workspaceId));
      } catch (err) {
        if (err instanceof AppError && err.code === 'NOT_FOUND') {
          known.delete(workspaceId);
          return null;
        }
        // While the gateway is away the last ones hold, and it isn't asked again for a second.
        if (last) return keep(workspaceId, last.limits);
        throw err;
      }
    },
  };
}
