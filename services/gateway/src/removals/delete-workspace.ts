import { notFound, validationFailed } from '@parley/kit/errors';
import { newId } from '@parley/kit/ids';
import { toIsoMillis } from '@parley/kit/time';
import type { WorkspaceStore } from '../workspaces/workspaces.store.ts';
import { receiptOf } from './erasures.ts';
import type { RemovalJob, RemovalJobs } from './removal-jobs.store.ts';

export type DeleteWorkspaceDeps = { store: Pick<WorkspaceStore, 'find'>; removals: RemovalJobs };

type Input = { workspaceId: string; confirm: string; requestedBy: string };

/**
 * Closes a workspace immediately and queues the removal of all its data [trust.25]. It is irreversible, so the caller has
 * to confirm the name. A repeated call returns the progress.
 */
export async function deleteWorkspace(
  { store, removals }: DeleteWorkspaceDeps,
  { workspaceId, confirm, requestedBy }: Input,
): Promise<ReturnType<typeof toDeletion>> {
  const known = await removals.findDeletion(workspaceId);
  if (known) return toDeletion(known);
  const workspace = await store.find(workspaceId);
  if (!workspace) throw notFound('Workspace');
  if (workspace.name !== confirm) {
    const message = `--confirm must be the name of the workspace, "${workspace.name}"`;
    throw validationFailed([{ path: 'confirm', code: 'not_allowed', message }]);
  }
  const job = await removals.addDeletion(newId(), workspaceId, requestedBy);
  if (!job) throw notFound('Workspace');
  return toDeletion(job);
}

/** The progress of a deletion, also after its completion. */
export async function getDeletion({ removals }: Pick<DeleteWorkspaceDeps, 'removals'>, workspaceId: string) {
  const job = await removals.findDeletion(workspaceId);
  if (!job) throw notFound('Deletion of this workspace');
  return toDeletion(job);
}

function toDeletion(job: RemovalJob) {
  return {
    workspace_id: job.workspaceId,
    name: job.workspaceName,
    status: job.status,
    waiting_for: job.waitingFor,
    receipt: receiptOf(job).map(({ service, status, removed }) => ({ service, status, removed })),
    requested_by: job.requestedBy,
    created_at: toIsoMillis(job.createdAt),
    completed_at: job.completedAt && toIsoMillis(job.completedAt),
  };
}
