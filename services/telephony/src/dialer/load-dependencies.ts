import type { AssistantSnapshot } from '@parley/contracts';
import type { Log } from '@parley/kit/log';
import type { AgentCopies } from '../assistants/ports.ts';
import type { SnapshotArchive } from '../assistants/snapshot-ports.ts';
import type { WorkspaceLimits, WorkspaceSettings } from '../clients/ports.ts';
import type { DialRequest } from './dial-request.ts';
import type { RecentSnapshots } from './recent-snapshots.ts';
import type { Unreachable } from './unreachable.ts';

export type LoadDeps = {
  log: Log;
  snapshots: RecentSnapshots;
  knownVersions: AgentCopies['knownVersions'];
  archive: SnapshotArchive;
  settings: WorkspaceSettings;
  unreachable: Unreachable;
};

/** By id; null: the assistant doesn't exist. */
export type Known = {
  assistants: Map<string, AssistantSnapshot | null>;
  limits: Map<string, WorkspaceLimits>;
};

/** Loads data of other services before anything is locked. If some cannot be loaded it is missing, and its requests wait. */
export async function loadDependencies(deps: LoadDeps, requests: readonly DialRequest[]): Promise<Known> {
  const known: Known = { assistants: new Map(), limits: new Map() };
  const loads = new Map<string, () => Promise<void>>();
  const versions = await deps.knownVersions([...new Set(requests.map(({ agentId }) => agentId))]);
  for (const { workspaceId, agentId } of requests) {
    loads.set(`agent ${agentId}`, async () => {
      try {
        const snapshot = await deps.snapshots.get(workspaceId, agentId, versions.get(agentId)?.version);
        if (snapshot) await deps.archive.keep(snapshot);
        known.assistants.set(agentId, snapshot);
        deps.unreachable.answered(agentId);
      } catch (err) {
        deps.unreachable.failed(agentId);
        throw err;
      }
    });
    loads.set(`workspace ${workspaceId}`, async () => {
      const limits = await deps.settings.get(workspaceId);
      if (limits) known.limits.set(workspaceId, limits);
    });
  }
  await Promise.all(
    [...loads].map(([what, load]) =>
      load().catch((err: unknown) => deps.log.warn({ err, what }, 'dials wait for data of another service')),
    ),
  );
  return known;
}
