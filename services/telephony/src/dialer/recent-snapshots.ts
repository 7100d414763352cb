import type { AssistantSnapshot } from '@parley/contracts';
import { createLoadingCache } from '@parley/kit/cache';
import { monotonicMs } from '@parley/kit/time';
import type { AssistantSnapshots } from '../clients/ports.ts';

export type RecentSnapshots = {
  /** A recent snapshot is enough if it has the known version or a later one. */
  get(workspaceId: string, agentId: string, knownVersion?: number): Promise<AssistantSnapshot | null>;
};

/** Real time: how long a snapshot is reused. */
const FRESH_MS = 500;

/** Snapshots are at most a few hundred kilobytes. */
const MAX_SNAPSHOTS = 500;

/** Loads an assistant at most every half second, and at once after a change that telephony knows of. */
export function recentSnapshots(snapshots: AssistantSnapshots, nowMs = monotonicMs): RecentSnapshots {
  const cache = createLoadingCache<string, AssistantSnapshot | null>({
    load: (key) => {
      const [workspaceId, agentId] = key.split(':') as [string, string];
      return snapshots.get(workspaceId, agentId);
    },
    maxEntries: MAX_SNAPSHOTS,
    ttlMs: FRESH_MS,
    nowMs,
  });
  return {
    get: (workspaceId, agentId, knownVersion = 0) =>
      cache.get(`${workspaceId}:${agentId}`, (snapshot) => !snapshot || snapshot.version >= knownVersion),
  };
}
