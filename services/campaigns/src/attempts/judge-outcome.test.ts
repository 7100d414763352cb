import { describe, expect, it } from '@jest/globals';
import { type Ended, judgeOutcome, type RetryRules } from './judge-outcome.ts';

type Reason = Ended['disconnection_reason'];

const ENDED_AT = '2026-06-01T10:00:00.000Z';
const rules: RetryRules = { maxRetries: 2, retryIntervals: [5, 60], isOver: false };
const ended = (reason: Reason, more: Partial<Ended> = {}): Ended => ({
  answered_at: reason.startsWith('dial_') ? null : ENDED_AT,
  disconnection_reason: reason,
  ended_at: ENDED_AT,
  retryable: false,
  voicemail_message_left: false,
  ...more,
});
const after = (minutes: number) => ({
  status: 'retrying',
  at: new Date(Date.parse(ENDED_AT) + minutes * 60_000),
});

/** Telephony's report of a call to each simulated number, and the resulting status of the contact. */
const SIMULATED_NUMBERS: [suffix: string, ends: Ended, status: 'retrying' | 'succeeded' | 'failed'][] = [
  ['0001', ended('dial_no_answer', { retryable: true }), 'retrying'],
  ['0002', ended('dial_busy', { retryable: true }), 'retrying'],
  ['0003', ended('voicemail', { retryable: true }), 'retrying'],
  ['0003, and the message was left', ended('voicemail', { voicemail_message_left: true }), 'succeeded'],
  ['0004', ended('dial_failed', { retryable: true }), 'retrying'],
  ['0005', ended('dial_failed'), 'failed'],
  ['0006', ended('agent_hangup'), 'succeeded'],
  ['0007', ended('timeout'), 'succeeded'],
  ['0008', ended('user_hangup'), 'succeeded'],
  ['0009, the first time', ended('dial_no_answer', { retryable: true }), 'retrying'],
  ['0009, the second time', ended('user_hangup'), 'succeeded'],
  ['0011, never heard of', ended('dial_failed', { retryable: true }), 'retrying'],
  ['anything else', ended('user_hangup'), 'succeeded'],
];

describe('the meaning of each ending [campaigns.12] [running.2]', () => {
  it.each(SIMULATED_NUMBERS)('%s [running.2]', (_, ends, status) => {
    expect(judgeOutcome(ends, 1, rules)).toMatchObject({ status });
    expect(judgeOutcome(ends, 3, rules)).toEqual({ status: status === 'succeeded' ? status : 'failed' });
  });
});

describe('judgeOutcome', () => {
  it.each(['completed', 'user_hangup', 'agent_hangup', 'timeout', 'call_transfer'] as const)(
    '%s is a success, and never retried',
    (reason) => {
      expect(judgeOutcome(ended(reason, { retryable: true }), 1, rules)).toEqual({ status: 'succeeded' });
    },
  );

  it('agent_hangup of a call that was stopped before the answer is a failure, and not retried', () => {
    expect(judgeOutcome(ended('agent_hangup', { answered_at: null }), 1, rules)).toEqual({
      status: 'failed',
    });
  });

  it.each(['dial_no_answer', 'dial_busy', 'voicemail'] as const)('%s is retried', (reason) => {
    expect(judgeOutcome(ended(reason), 1, rules)).toEqual(after(5));
    expect(judgeOutcome(ended(reason), 3, rules)).toEqual({ status: 'failed' });
  });

  it.each(['dial_failed', 'error', 'call_rejected'] as const)(
    '%s is retried if a retry may help',
    (reason) => {
      expect(judgeOutcome(ended(reason, { retryable: true }), 1, rules)).toEqual(after(5));
      expect(judgeOutcome(ended(reason), 1, rules)).toEqual({ status: 'failed' });
    },
  );

  it('voicemail is a success, and not retried, if the assistant left its voicemail message [campaigns.12]', () => {
    const left = ended('voicemail', { voicemail_message_left: true, retryable: true });
    expect(judgeOutcome(left, 1, rules)).toEqual({ status: 'succeeded' });
  });

  it('waits retry_intervals[N-1] before retry N, reuses the last value, and waits 30 minutes without any [campaigns.12]', () => {
    const many = { ...rules, maxRetries: 10 };
    expect(judgeOutcome(ended('dial_busy'), 1, many)).toEqual(after(5));
    expect(judgeOutcome(ended('dial_busy'), 2, many)).toEqual(after(60));
    expect(judgeOutcome(ended('dial_busy'), 7, many)).toEqual(after(60));
    expect(judgeOutcome(ended('dial_busy'), 1, { ...many, retryIntervals: [] })).toEqual(after(30));
  });

  it('allows max_retries + 1 attempts: 0 means one attempt, 2 three [campaigns.12]', () => {
    expect(judgeOutcome(ended('dial_busy'), 1, { ...rules, maxRetries: 0 })).toEqual({ status: 'failed' });
    expect(judgeOutcome(ended('dial_busy'), 2, rules)).toEqual(after(60));
    expect(judgeOutcome(ended('dial_busy'), 3, rules)).toEqual({ status: 'failed' });
  });

  it('counts the interval from the end of the attempt, whenever the end is known [campaigns.12]', () => {
    const ended_at = '2026-05-31T23:59:59.250Z';
    const at = new Date('2026-06-01T00:04:59.250Z');
    expect(judgeOutcome(ended('dial_busy', { ended_at }), 1, rules)).toEqual({ status: 'retrying', at });
  });

  it('dials no contact once the campaign has ended', () => {
    expect(judgeOutcome(ended('dial_busy'), 1, { ...rules, isOver: true })).toEqual({ status: 'failed' });
  });
});
