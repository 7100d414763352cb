import { STORING_SERVICES, type StoringService, storedBytesOf } from '@parley/contracts';
import { NO_WORKSPACE, type ServiceClient } from '@parley/kit/http';
import type { WorkspaceStore } from './workspaces.store.ts';

export type MeasureStorageDeps = {
  workspaces: Pick<WorkspaceStore, 'recordStored' | 'countOverQuota'>;
  clients: Record<StoringService, Pick<ServiceClient, 'call'>>;
};

/** The total of each service, and the number of workspaces above their quota. */
export type Storage = { bytes: Record<StoringService, number>; overQuota: number };

/**
 * Reads the storage of each workspace from every service and stores the sums, which quotas are checked against [trust.6].
 * The last sums stay if a service doesn't respond.
 */
export async function measureStorage({ workspaces, clients }: MeasureStorageDeps): Promise<Storage> {
  const sums = new Map<string, number>();
  const bytes = { assistants: 0, telephony: 0, campaigns: 0, webhooks: 0 };
  for (const service of STORING_SERVICES) {
    const stored = await clients[service].call(storedBytesOf(service), {}, { workspaceId: NO_WORKSPACE });
    bytes[service] = stored.total;
    for (const { workspace_id: id, bytes } of stored.workspaces) sums.set(id, (sums.get(id) ?? 0) + bytes);
  }
  await workspaces.recordStored(sums);
  return { bytes, overQuota: await workspaces.countOverQuota() };
}
