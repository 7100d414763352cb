import type { DeliveryReason } from '@parley/contracts';
import type { OutboundResult } from '@parley/kit/outbound';
import { readRetryAfter } from './schedule.ts';

export type AttemptOutcome = {
  reason: DeliveryReason;
  /** HTTP status, 0 without one [webhooks.18]. */
  status: number;
  error: string | null;
  retryAfterMs: number | undefined;
};

/** Classifies an exchange [webhooks.9] [webhooks.12] [webhooks.18]. Undefined: this process aborted it, so it doesn't count. */
export function judgeExchange(result: OutboundResult, realNow: Date): AttemptOutcome | undefined {
  if (result.outcome === 'aborted') return undefined;
  if (result.outcome !== 'response') {
    return { reason: result.outcome, status: result.status, error: result.error, retryAfterMs: undefined };
  }
  const { status, headers } = result;
  if (status >= 200 && status < 300)
    return { reason: 'delivered', status, error: null, retryAfterMs: undefined };
  const retryAfterMs = readRetryAfter(status, headers['retry-after'], realNow);
  return {
    reason: 'http_error',
    status,
    error: `The endpoint responded with status ${status}`,
    retryAfterMs,
  };
}
