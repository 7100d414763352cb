import { applyRetentionOf, RETAINERS, type RetainerName } from '@parley/contracts';
import type { ServiceClient } from '@parley/kit/http';
import type { Log } from '@parley/kit/log';
import type { RetentionStore, WorkspaceRetention } from './retention.store.ts';

export type ApplyRetentionDeps = {
  retention: RetentionStore;
  clients: Record<RetainerName, Pick<ServiceClient, 'call'>>;
  onRemoved: (place: string, count: number) => void;
  log: Log;
};

/**
 * Makes every service remove data older than a workspace's retention [trust.21]. Any number of processes may run it at
 * once, and the next round resumes after a crash: each call removes the data that is too old at that moment.
 */
export async function applyRetention(
  deps: ApplyRetentionDeps,
  { onlyChanged, signal }: { onlyChanged: boolean; signal: AbortSignal },
): Promise<void> {
  let after: string | null = null;
  do {
    const page: WorkspaceRetention[] = await deps.retention.list(after, onlyChanged);
    for (const one of page) {
      if (signal.aborted) return;
      await applyOne(deps, one, signal);
    }
    after = page.at(-1)?.workspaceId ?? null;
  } while (after !== null);
}

/** An unavailable service doesn't block the others. */
async function applyOne(
  { retention, clients, onRemoved, log }: ApplyRetentionDeps,
  one: WorkspaceRetention,
  signal: AbortSignal,
): Promise<void> {
  const { workspaceId, days } = one;
  let isComplete = true;
  for (const service of RETAINERS) {
    try {
      for (let more = true; more && !signal.aborted; ) {
        const answer = await clients[service].call(
          applyRetentionOf(service),
          { body: days },
          { workspaceId },
        );
        for (const [place, count] of Object.entries(answer.removed)) onRemoved(place, count);
        more = answer.more;
      }
    } catch (err) {
      isComplete = false;
      log.warn({ err, workspaceId, service }, 'retention failed; retrying in the next round');
    }
  }
  if (isComplete && !signal.aborted) await retention.markApplied(one);
}
