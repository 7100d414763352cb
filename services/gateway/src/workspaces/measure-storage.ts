import { STORING_SERVICES, type StoringService, storedBytesOf } from '@parley/contracts';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import type { Config } from '../config.ts';
import type { WorkspaceStore } from './workspaces.store.ts';

export type MeasureStorageDeps = {
  workspaces: Pick<WorkspaceStore, 'recordStored' | 'countOverQuota'>;
  clients: Record<StoringService, Pick<ServiceClient, 'call'>>;
  config: Pick<Config, 'STORED_MB_PER_WORKSPACE'>;
};

/** The total of each service, the workspaces that store the most, and the number of those above their quota. */
export type Storage = {
  bytes: Record<StoringService, number>;
  largest: { workspace: string; bytes: number }[];
  overQuota: number;
};

/** Each is a time series of its own. */
const MAX_LARGEST = 20;

/**
 * Reads the storage of each workspace from every service and stores the sums, which quotas are checked against [trust.6].
 * The last sums stay if a service doesn't respond.
 */
export async function measureStorage({ workspaces, clients, config }: MeasureStorageDeps): Promise<Storage> {
  const sums = new Map<string, number>();
  const bytes = { assistants: 0, telephony: 0, campaigns: 0, webhooks: 0 };
  for (const service of STORING_SERVICES) {
    const stored = await clients[service].call(storedBytesOf(service), {}, { workspaceId: NO_WORKSPACE });
    bytes[service] = stored.total;
    for (const { workspace_id: id, bytes } of stored.workspaces) sums.set(id, (sums.get(id) ?? 0) + bytes);
  }
  await workspaces.recordStored(sums);
  const largest = [...sums].map(([workspace, of]) => ({ workspace, bytes: of }));
  largest.sort((a, b) => b.bytes - a.bytes);
  const overQuota = await workspaces.countOverQuota(config.STORED_MB_PER_WORKSPACE ?? null);
  return { bytes, largest: largest.slice(0, MAX_LARGEST), overQuota };
}
