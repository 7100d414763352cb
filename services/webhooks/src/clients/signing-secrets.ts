import { getWorkspaceSettings } from '@parley/contracts';
import type { Peer } from '@parley/kit/http';
import { monotonicMs } from '@parley/kit/time';
import type { SigningSecrets } from '../domain/delivery/ports.ts';

/** A rotated secret signs a real second later. */
const FRESH_MS = 1_000;
/** Workspaces that are remembered: those that were asked for last. */
const MOST = 10_000;

/**
 * Asks the gateway at most once a second per workspace, once for all attempts that want to know; while it is away the last
 * known secrets sign on.
 */
export function createSigningSecrets(gateway: Peer, most = MOST): SigningSecrets {
  const known = new Map<string, { secrets: string[]; askedMs: number }>();
  const underWay = new Map<string, Promise<string[]>>();

  const remember = (workspaceId: string, secrets: string[]): void => {
    known.delete(workspaceId);
    known.set(workspaceId, { secrets, askedMs: monotonicMs() });
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
  };

  const ask = async (workspaceId: string): Promise<string[]> => {
    try {
      const settings = await gateway.call(
        getWorkspaceSettings,
        { params: { id: workspaceId } },
        { workspaceId },
      );
      remember(workspaceId, settings.webhook_secrets);
      return settings.webhook_secrets;
    } catch (err) {
      const last = known.get(workspaceId);
      if (last) return last.secrets;
      throw err;
    } finally {
      underWay.delete(workspaceId);
    }
  };

  return async (workspaceId) => {
    const last = known.get(workspaceId);
    if (last && monotonicMs() - last.askedMs < FRESH_MS) return last.secrets;
    const asking = underWay.get(workspaceId) ?? ask(workspaceId);
    underWay.set(workspaceId, asking);
    return asking;
  };
}
