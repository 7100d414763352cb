import { describe, expect, it } from '@jest/globals';
import { type Advance, type AttemptUpdate, advanceAttempt, type Progress } from './advance-attempt.ts';
import type { Ended } from './judge-outcome.ts';

const rules = { maxRetries: 1, retryIntervals: [10], isOver: false };
const fresh: Progress = {
  state: 'requested',
  contact: { attempts: 0, lastOutcome: null, nextAttemptAt: null },
};
const dialing: AttemptUpdate = { kind: 'dialing' };
const started: AttemptUpdate = { kind: 'started' };
const refused = (reason: Extract<AttemptUpdate, { kind: 'refused' }>['reason']): AttemptUpdate => ({
  kind: 'refused',
  reason,
});
const ended = (reason: Ended['disconnection_reason']): AttemptUpdate => ({
  kind: 'ended',
  ended: {
    answered_at: reason.startsWith('dial_') ? null : '2026-06-01T09:59:00.000Z',
    ended_at: '2026-06-01T10:00:00.000Z',
    disconnection_reason: reason,
    retryable: true,
    voicemail_message_left: false,
  },
});

/** The last change of a sequence of updates. */
function after(...updates: AttemptUpdate[]): { last: Advance | null; changes: number } {
  let progress = fresh;
  let last: Advance | null = null;
  let changes = 0;
  for (const item of updates) {
    const next = advanceAttempt(progress, item, rules);
    if (!next) continue;
    changes += 1;
    last = next;
    progress = next;
  }
  return { last, changes };
}

describe('advanceAttempt', () => {
  it('follows a call from the request to its end, counting one attempt', () => {
    expect(after(dialing).last).toMatchObject({
      state: 'dialled',
      contact: { status: 'dialing', attempts: 1 },
    });
    expect(after(dialing, started).last).toMatchObject({
      state: 'answered',
      contact: { status: 'in_progress', attempts: 1 },
    });
    expect(after(dialing, started, ended('user_hangup')).last).toMatchObject({
      state: 'ended',
      contact: { status: 'succeeded', attempts: 1, lastOutcome: 'user_hangup', nextAttemptAt: null },
    });
  });

  it('applies events in any order and any number of times', () => {
    const end = ended('user_hangup');
    expect(after(end, started, dialing, end)).toEqual({ ...after(end), changes: 1 });
    expect(after(started, dialing, started, end, dialing).last).toEqual(after(dialing, started, end).last);
  });

  it('plans the retry from the end of the attempt', () => {
    expect(after(dialing, ended('dial_busy')).last?.contact).toMatchObject({
      status: 'retrying',
      attempts: 1,
      lastOutcome: 'dial_busy',
      nextAttemptAt: new Date('2026-06-01T10:10:00.000Z'),
    });
  });

  it('returns a withdrawn contact to its previous state', () => {
    expect(after(refused('withdrawn')).last).toMatchObject({
      state: 'withdrawn',
      contact: { status: 'pending', attempts: 0, wasDialed: false },
    });
    const due = new Date('2026-06-01T10:10:00.000Z');
    const second = {
      ...fresh,
      contact: { attempts: 1, lastOutcome: 'dial_busy', nextAttemptAt: due },
    };
    expect(advanceAttempt(second, refused('withdrawn'), rules)?.contact).toMatchObject({
      status: 'retrying',
      attempts: 1,
      lastOutcome: 'dial_busy',
      nextAttemptAt: due,
    });
  });

  it('delays a contact outside of the allowed destinations by an hour, without using up an attempt [trust.22]', () => {
    const now = new Date('2026-03-01T10:00:00Z');
    const progress = { attempts: 1, lastOutcome: 'dial_busy', nextAttemptAt: new Date(0) };
    const advanced = advanceAttempt(
      { state: 'requested', contact: progress },
      refused('destination_not_allowed'),
      {
        ...{ maxRetries: 1, retryIntervals: [], isOver: false },
        now,
      },
    );
    expect(advanced).toMatchObject({
      state: 'withdrawn',
      contact: {
        ...{ status: 'retrying', attempts: 1, lastOutcome: 'destination_not_allowed' },
        nextAttemptAt: new Date('2026-03-01T11:00:00Z'),
      },
    });
  });

  it.each([
    ['do_not_call', 'do_not_call'],
    ['number_unavailable', 'dial_failed'],
    ['agent_unavailable', 'dial_failed'],
  ] as const)('fails a contact that was refused for %s without a dial', (reason, lastOutcome) => {
    expect(after(refused(reason)).last).toMatchObject({
      state: 'refused',
      contact: { status: 'failed', attempts: 0, lastOutcome, nextAttemptAt: null },
    });
  });

  it('fails a contact whose number was listed between the grant and the dial, as do_not_call', () => {
    const end = ended('dial_failed');
    if (end.kind !== 'ended') throw new Error('not an end');
    const unwanted: AttemptUpdate = { ...end, ended: { ...end.ended, retryable: false, do_not_call: true } };
    expect(after(dialing, unwanted).last?.contact).toMatchObject({
      status: 'failed',
      attempts: 0,
      lastOutcome: 'do_not_call',
      nextAttemptAt: null,
    });
    expect(after(unwanted).last?.contact).toMatchObject({ status: 'failed', attempts: 0 });
  });

  it('returns a contact whose campaign was paused between the grant and the dial [campaigns.5]', () => {
    const end = ended('dial_failed');
    if (end.kind !== 'ended') throw new Error('not an end');
    const withdrawn: AttemptUpdate = { ...end, ended: { ...end.ended, retryable: false, withdrawn: true } };
    expect(after(dialing, withdrawn).last).toMatchObject({
      state: 'withdrawn',
      contact: { status: 'pending', attempts: 0, lastOutcome: null, nextAttemptAt: null },
    });
    expect(after(withdrawn, dialing).last?.contact).toMatchObject({ status: 'pending', attempts: 0 });
    const due = new Date('2026-06-01T10:10:00.000Z');
    const second = { ...fresh, contact: { attempts: 1, lastOutcome: 'dial_busy', nextAttemptAt: due } };
    const granted = advanceAttempt(second, dialing, rules);
    if (!granted) throw new Error('the dial was not updates');
    expect(advanceAttempt(granted, withdrawn, rules)?.contact).toMatchObject({
      status: 'retrying',
      attempts: 1,
      lastOutcome: 'dial_busy',
      nextAttemptAt: due,
    });
  });

  it('returns a contact whose call the carrier never received [campaigns.11]', () => {
    expect(after(dialing, refused('withdrawn')).last).toMatchObject({
      state: 'withdrawn',
      contact: { status: 'pending', attempts: 0, wasDialed: false },
    });
  });

  it('never reverts an answered contact, and leaves finished ones unchanged', () => {
    expect(after(started, refused('withdrawn')).changes).toBe(1);
    expect(after(refused('withdrawn'), dialing).changes).toBe(1);
    expect(after(refused('do_not_call'), ended('user_hangup')).changes).toBe(1);
  });
});
