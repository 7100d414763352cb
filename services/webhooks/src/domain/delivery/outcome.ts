import type { DeliveryReason } from '@parley/contracts';
import type { OutboundResult } from '@parley/kit/outbound';
import { readRetryAfter } from './schedule.ts';

/** How an attempt went; `aborted` is nobody's fault: it never counts. */
export type AttemptOutcome = {
  reason: DeliveryReason;
  /** HTTP status, 0 where there was none. */
  status: number;
  error: string | null;
  retryAfterMs: number | undefined;
};

/** Judges an exchange (spec: Delivery rules 1, 4, 5; D8.4, D8.6). Undefined: it was given up by us. */
export function judgeExchange(result: OutboundResult, realNow: Date): AttemptOutcome | undefined {
  if (result.outcome === 'aborted') return undefined;
  if (result.outcome !== 'response') {
    return { reason: result.outcome, status: result.status, error: result.error, retryAfterMs: undefined };
  }
  const { status, headers } = result;
  if (status >= 200 && status < 300)
    return { reason: 'delivered', status, error: null, retryAfterMs: undefined };
  const retryAfterMs = readRetryAfter(status, headers['retry-after'], realNow);
  return { reason: 'http_error', status, error: `The endpoint answered ${status}`, retryAfterMs };
}
