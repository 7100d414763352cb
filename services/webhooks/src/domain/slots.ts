import { AppError } from '@parley/kit/errors';

/** Runs work of a workspace, unless as many of it run already in this process: `RATE_LIMITED`. */
export type Slots = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;

const RETRY_AFTER_SECONDS = 5;

/** Requests that wait for a client's endpoint hold a connection each: one workspace must not take those of the others. */
export function createSlots(perWorkspace: number): Slots {
  const taken = new Map<string, number>();
  return async (workspaceId, work) => {
    const before = taken.get(workspaceId) ?? 0;
    if (before >= perWorkspace) {
      throw new AppError('RATE_LIMITED', 'Too many requests of this workspace wait for webhook endpoints', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    taken.set(workspaceId, before + 1);
    try {
      return await work();
    } finally {
      const left = (taken.get(workspaceId) ?? 1) - 1;
      if (left > 0) taken.set(workspaceId, left);
      else taken.delete(workspaceId);
    }
  };
}
