import { AppError } from '@parley/kit/errors';

/** Runs work of a workspace; rejects with `RATE_LIMITED` while as many as allowed are running in this process. */
export type LimitRequests = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>;

const RETRY_AFTER_SECONDS = 5;

/** Requests that wait for a client's endpoint hold a connection each: one workspace must not use up those of the others. */
export function createRequestLimit(perWorkspace: number): LimitRequests {
  const running = new Map<string, number>();
  return async (workspaceId, work) => {
    const before = running.get(workspaceId) ?? 0;
    if (before >= perWorkspace) {
      throw new AppError('RATE_LIMITED', 'Too many requests of this workspace wait for webhook endpoints', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    running.set(workspaceId, before + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(workspaceId) ?? 1) - 1;
      if (left > 0) running.set(workspaceId, left);
      else running.delete(workspaceId);
    }
  };
}
