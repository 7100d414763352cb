import { createKeyedMutex, type RunExclusiveByKey } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';

/** Runs transactions of this process that add calls to a workspace, one at a time for each workspace. */
export type CallMutex = RunExclusiveByKey;

const MAX_WAIT_MS = 5_000;
const RETRY_AFTER_SECONDS = 1;

/**
 * Calls of a workspace are added one after the other anyway (`lockWorkspaceCalls`). While waiting for that lock, each would occupy
 * a database connection that other workspaces need [trust.1].
 */
export function createCallMutex(): CallMutex {
  const timeoutError = (): AppError =>
    new AppError(
      'RATE_LIMITED',
      'Too many calls of this workspace are being placed; retry after the delay in Retry-After',
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  return createKeyedMutex({ timeoutMs: MAX_WAIT_MS, timeoutError });
}
