import type { MessageData } from '@parley/contracts';

/** The relevant part of a call's end. */
export type Ended = Pick<
  MessageData<'call.ended'>,
  | 'answered_at'
  | 'disconnection_reason'
  | 'do_not_call'
  | 'ended_at'
  | 'retryable'
  | 'voicemail_message_left'
  | 'withdrawn'
>;

export type RetryRules = {
  maxRetries: number;
  /** Minutes; empty: 30 before each retry. */
  retryIntervals: readonly number[];
  /** The campaign is cancelled or completed: no further attempts. */
  isOver: boolean;
  /** By the stack's clock. */
  now?: Date;
};

export type Outcome = { status: 'succeeded' | 'failed' } | { status: 'retrying'; at: Date };

/** The callee was reached; either side may have hung up [campaigns.13]. */
const CONNECTED: ReadonlySet<string> = new Set([
  'completed',
  'user_hangup',
  'agent_hangup',
  'timeout',
  'call_transfer',
]);
/** Always retried [campaigns.12]. */
const RETRIED: ReadonlySet<string> = new Set(['dial_no_answer', 'dial_busy', 'voicemail']);
const DEFAULT_INTERVAL_MINUTES = 30;
const MINUTE_MS = 60_000;

/**
 * The effect of an attempt's end on its contact [campaigns.12] [campaigns.13]. `attempts` includes this one. Reasons not
 * listed above, such as `error` and `dial_failed`, are retried if telephony marks them as `retryable`.
 */
export function judgeOutcome(ended: Ended, attempts: number, rules: RetryRules): Outcome {
  const { disconnection_reason: reason, retryable } = ended;
  // A call that was stopped while ringing is agent_hangup as well, without an answer.
  if (CONNECTED.has(reason) && ended.answered_at !== null) return { status: 'succeeded' };
  if (reason === 'voicemail' && ended.voicemail_message_left) return { status: 'succeeded' };
  const mayRetry = (retryable || RETRIED.has(reason)) && attempts <= rules.maxRetries && !rules.isOver;
  if (!mayRetry) return { status: 'failed' };
  const waitMs = retryIntervalMinutes(rules.retryIntervals, attempts) * MINUTE_MS;
  return { status: 'retrying', at: new Date(Date.parse(ended.ended_at) + waitMs) };
}

/** Retry N waits `retry_intervals[N-1]`; the last value repeats [campaigns.12]. */
function retryIntervalMinutes(intervals: readonly number[], retry: number): number {
  return intervals[retry - 1] ?? intervals.at(-1) ?? DEFAULT_INTERVAL_MINUTES;
}
