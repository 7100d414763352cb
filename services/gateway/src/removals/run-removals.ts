import { advanceRemovalOf, type RemovalAdvance, type RemoverName } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { Log } from '@parley/kit/log';
import type { Remover } from '@parley/kit/removal';
import { advanceProgress, serviceOf } from './removal-job.ts';
import type { ClaimedJob, RemovalJobs } from './removal-jobs.store.ts';

export type RunRemovalsDeps = {
  removals: RemovalJobs;
  clients: Record<Exclude<RemoverName, 'gateway'>, Pick<ServiceClient, 'call'>>;
  ownRemover: Remover;
  log: Log;
  onCompleted: (kind: ClaimedJob['kind']) => void;
};

/**
 * Makes one call for one job, in any process. Its result is recorded afterwards, so after a crash the call, which is
 * idempotent, is repeated. True if more jobs may be due.
 */
export async function runRemovals(deps: RunRemovalsDeps): Promise<boolean> {
  const { removals, log, onCompleted } = deps;
  const job = await removals.claim();
  if (!job) return false;
  const service = serviceOf(job);
  const { id: removalId, workspaceId, kind, requestedBy, pass } = job;
  const fields = { removalId, workspaceId, kind, requestedBy, service, pass };
  // The only trace of a workspace's deletion: its audit log is deleted too.
  if (job.isNew) log.info(fields, 'removal started');
  try {
    const step = advanceProgress(job, await advance(deps, service, job));
    await removals.save(job, step);
    if (step.isComplete) {
      onCompleted(job.kind);
      log.info(fields, 'removal completed');
    }
  } catch (err) {
    log.warn({ err, ...fields }, 'removal failed; retrying');
    await removals.postpone(job);
  }
  return true;
}

function advance(
  { clients, ownRemover }: RunRemovalsDeps,
  service: RemoverName,
  { id, workspaceId, phoneNumber, keepDoNotCall, pass }: ClaimedJob,
): Promise<RemovalAdvance> {
  if (service === 'gateway')
    return ownRemover.advance({ removalId: id, workspaceId, phoneNumber, keepDoNotCall }, pass);
  const body = { pass, phone_number: phoneNumber, keep_do_not_call: keepDoNotCall };
  return clients[service].call(advanceRemovalOf(service), { params: { id }, body }, { workspaceId });
}
