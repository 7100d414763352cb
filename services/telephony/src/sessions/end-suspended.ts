import type { Log } from '@parley/kit/log';
import { type RequestStopDeps, requestStop } from './request-stop.ts';

export type LiveWorkspaces = {
  /** Workspaces with live calls. */
  withCalls(): Promise<string[]>;
  /** Live calls of a workspace without a stop request. */
  callsOf(workspaceId: string): Promise<string[]>;
};

export type EndSuspendedDeps = RequestStopDeps & {
  liveWorkspaces: LiveWorkspaces;
  /** The suspended workspaces among the given ones. */
  findSuspended(workspaceIds: readonly string[]): Promise<string[]>;
  wakeStops: () => void;
  log: Log;
};

/** Workspaces per request. */
const BATCH = 1_000;

/**
 * Stops the live calls of suspended workspaces with `agent_hangup` [trust.24]. Every worker runs it
 * periodically, so that no dead process or new call escapes. Always false: the next run comes at its interval.
 */
export async function endSuspended(deps: EndSuspendedDeps): Promise<boolean> {
  const live = await deps.liveWorkspaces.withCalls();
  for (let first = 0; first < live.length; first += BATCH) {
    for (const workspaceId of await deps.findSuspended(live.slice(first, first + BATCH)))
      await stopCalls(deps, workspaceId);
  }
  return false;
}

async function stopCalls(deps: EndSuspendedDeps, workspaceId: string): Promise<void> {
  const ids = await deps.liveWorkspaces.callsOf(workspaceId);
  for (const id of ids) await requestStop(deps, { workspaceId, id, cause: 'workspace_suspended' });
  if (ids.length === 0) return;
  deps.log.info({ workspaceId, calls: ids.length }, 'stopping the calls of a suspended workspace');
  deps.wakeStops();
}
