import type { MessageData } from '@parley/contracts';

/** What counts of a call's end. */
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
  /** Minutes; empty: 30. */
  retryIntervals: readonly number[];
  /** The campaign was cancelled or completed: nobody is dialled again. */
  isOver: boolean;
};

export type Outcome = { status: 'succeeded' | 'failed' } | { status: 'retrying'; at: Date };

/** Somebody was reached, whoever hung up (spec: max_retries). */
const CONNECTED: ReadonlySet<string> = new Set([
  'completed',
  'user_hangup',
  'agent_hangup',
  'timeout',
  'call_transfer',
]);
/** Worth another attempt whatever else is known of them (spec: max_retries). */
const RETRIED: ReadonlySet<string> = new Set(['dial_no_answer', 'dial_busy', 'voicemail']);
const DEFAULT_INTERVAL_MINUTES = 30;
const MINUTE_MS = 60_000;

/**
 * What an attempt's end means for its contact (spec: max_retries, retry_intervals; D7.3). `attempts` counts this one.
 * Any other reason, `error` and `dial_failed` among them, is retried if telephony says that it may help.
 */
export function judgeOutcome(ended: Ended, attempts: number, rules: RetryRules): Outcome {
  const { disconnection_reason: reason, retryable } = ended;
  // A call that was stopped while it rang says agent_hangup as well (D6.2), and reached nobody.
  if (CONNECTED.has(reason) && ended.answered_at !== null) return { status: 'succeeded' };
  if (reason === 'voicemail' && ended.voicemail_message_left) return { status: 'succeeded' };
  const mayRetry = (retryable || RETRIED.has(reason)) && attempts <= rules.maxRetries && !rules.isOver;
  if (!mayRetry) return { status: 'failed' };
  const waitMs = retryIntervalMinutes(rules.retryIntervals, attempts) * MINUTE_MS;
  return { status: 'retrying', at: new Date(Date.parse(ended.ended_at) + waitMs) };
}

/** Retry N waits `retry_intervals[N-1]`; the last value is reused (spec: retry_intervals). */
export function retryIntervalMinutes(intervals: readonly number[], retry: number): number {
  return intervals[retry - 1] ?? intervals.at(-1) ?? DEFAULT_INTERVAL_MINUTES;
}
