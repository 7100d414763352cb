import { getWorkspaceSettings } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';

/** The secrets of a workspace, which sign where an assistant has none of its own. */
export type WorkspaceSecrets = (workspaceId: string) => Promise<string[]>;

/** A rotated secret signs after a real second at the latest. */
const TTL_MS = 1_000;
const MAX_WORKSPACES = 10_000;

/** Calls the gateway at most once a second per workspace. While it is unavailable the last known secrets are used. */
export function createWorkspaceSecrets(
  gateway: ServiceClient,
  maxWorkspaces = MAX_WORKSPACES,
): WorkspaceSecrets {
  const known = new Map<string, { secrets: string[]; loadedMs: number }>();
  const loading = new Map<string, Promise<string[]>>();

  const remember = (workspaceId: string, secrets: string[]): void => {
    known.delete(workspaceId);
    known.set(workspaceId, { secrets, loadedMs: monotonicMs() });
    const [oldest] = known.keys();
    if (known.size > maxWorkspaces && oldest !== undefined) known.delete(oldest);
  };

  const load = async (workspaceId: string): Promise<string[]> => {
    try {
      const input = { params: { id: workspaceId } };
      const settings = await gateway.call(getWorkspaceSettings, input, { workspaceId });
      remember(workspaceId, settings.webhook_secrets);
      return settings.webhook_secrets;
    } catch (err) {
      const last = known.get(workspaceId);
      if (last) return last.secrets;
      throw err;
    } finally {
      loading.delete(workspaceId);
    }
  };

  return async (workspaceId) => {
    const last = known.get(workspaceId);
    if (last && monotonicMs() - last.loadedMs < TTL_MS) return last.secrets;
    const promise = loading.get(workspaceId) ?? load(workspaceId);
    loading.set(workspaceId, promise);
    return promise;
  };
}
