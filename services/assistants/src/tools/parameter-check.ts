import type { ErrorDetail } from '@parley/contracts';
import { createTimeBudget } from '@parley/kit/concurrency';
import { AppError } from '@parley/kit/errors';
import { monotonicMs } from '@parley/kit/time';
import type { JsonObject } from '../json-object.ts';
import { checkParameters } from './check-parameters.ts';

/** An ordinary schema takes a few milliseconds, the worst one that the limits allow some fifty. */
const BUDGET = { share: 0.1, burstMs: 2_000 };
const RETRY_AFTER_SECONDS = 1;

/** `checkParameters` within the CPU time of the workspace; `429 RATE_LIMITED` after it has used that up [trust.1]. */
export type ParameterCheck = (workspaceId: string, parameters: JsonObject | null) => ErrorDetail[];

export function createParameterCheck(nowMs = monotonicMs, check = checkParameters): ParameterCheck {
  const budget = createTimeBudget({ ...BUDGET, nowMs });
  return (workspaceId, parameters) => {
    if (!budget.hasTime(workspaceId)) throw usedUp();
    const startedMs = nowMs();
    const details = check(parameters);
    budget.spend(workspaceId, nowMs() - startedMs);
    return details;
  };
}

function usedUp(): AppError {
  return new AppError(
    'RATE_LIMITED',
    'Too many tools with expensive parameters were saved; retry after the delay in Retry-After',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
