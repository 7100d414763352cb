import { describe, expect, it } from '@jest/globals';
import type { CallType } from '@parley/contracts';
import type { EndCause } from '../carriers/call-control.ts';
import type { CallState } from './call.ts';
import { type CallEvent, type CallRules, transition } from './transition.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 31, 8, 0, second));

const dialing: CallState = {
  phase: 'dialing',
  callSid: null,
  startedAt: at(0),
  answeredAt: null,
  endedAt: null,
  duration: null,
  cost: null,
  reason: null,
  machineDetected: false,
  voicemailMessageLeft: false,
  retryable: false,
};

const rules: CallRules = { maxDurationMs: 60_000, voicemailDetection: true };

const run = (
  events: readonly CallEvent[],
  given: Partial<CallRules> = {},
  from = dialing,
  callType: CallType = 'outbound',
) => {
  const published: string[] = [];
  let state = from;
  for (const event of events) {
    const next = transition({ callType, state, rateCents: 10 }, event, { ...rules, ...given });
    state = next.state;
    published.push(...next.events);
  }
  return { state, published };
};

const ended = (cause: EndCause, answered: number | null, end: number, machine = false): CallEvent => ({
  type: 'ended',
  legId: 'leg',
  facts: { cause, at: at(end), answeredAt: answered === null ? null : at(answered), machine },
});

const ringing: CallEvent = { type: 'ringing', legId: 'leg', at: at(1) };
const answered: CallEvent = { type: 'answered', legId: 'leg', at: at(2) };
const machine: CallEvent = { type: 'machine_detected', legId: 'leg', at: at(3) };

const orders = <T>(items: readonly T[]): T[][] =>
  items.length < 2
    ? [[...items]]
    : items.flatMap((item, i) => orders(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]));

describe('transition [calls.4] [calls.7]', () => {
  it('passes through the phases of a call', () => {
    expect(run([ringing]).state).toMatchObject({ phase: 'ringing', callSid: 'leg' });
    expect(run([ringing, answered])).toMatchObject({
      state: { phase: 'up', answeredAt: at(2) },
      published: ['started'],
    });
    expect(run([ringing, answered, ended('remote', 2, 14)])).toMatchObject({
      state: { phase: 'ended', duration: 12, cost: 2, reason: 'user_hangup', retryable: false },
      published: ['started', 'ended'],
    });
  });

  it('starts when its request leaves, which is written with the next change', () => {
    const departed: CallEvent = { type: 'departed', at: at(1) };
    expect(transition({ callType: 'outbound', state: dialing, rateCents: 10 }, departed, rules)).toEqual({
      state: { ...dialing, startedAt: at(1) },
      events: [],
      timeline: [],
      changed: false,
    });
    expect(run([ended('busy', null, 3), departed]).state.startedAt).toEqual(at(0));
  });

  it.each([
    ['answered and hung up', [{ type: 'answer_lost' } as const, ringing, answered, ended('remote', 2, 14)]],
    ['busy', [ringing, ended('busy', null, 3)]],
    ['voicemail', [ringing, answered, machine, ended('local', 2, 5, true)]],
  ])('ends in the same state in any order and with repetitions: %s', (_, events) => {
    const once = orders(events).map((order) => run(order));
    const twice = orders([...events, ...events.slice(-2)]).map((order) => run(order));
    const [first] = once;
    for (const { state, published } of [...once, ...twice]) {
      expect(state).toEqual(first?.state);
      expect(published.filter((item) => item === 'ended')).toHaveLength(1);
      expect(published.filter((item) => item === 'started').length).toBe(first?.state.answeredAt ? 1 : 0);
      expect(published.at(-1)).toBe('ended');
    }
  });

  it('never changes a completed call', () => {
    const over = run([ended('busy', null, 3)]).state;
    for (const event of [ringing, answered, machine, ended('remote', 2, 14)]) {
      expect(transition({ callType: 'outbound', state: over, rateCents: 10 }, event, rules)).toEqual({
        state: over,
        events: [],
        timeline: [],
        changed: false,
      });
    }
  });

  it('does not end a dial that has not left', () => {
    const { state } = run([ended('refused', null, 3)], {}, { ...dialing, startedAt: at(5) });
    expect(state).toMatchObject({ startedAt: at(3), endedAt: at(3) });
  });

  it('asks about a lost response only while nothing else is known', () => {
    expect(run([{ type: 'answer_lost' }]).state.phase).toBe('unknown');
    expect(run([ringing, { type: 'answer_lost' }]).state.phase).toBe('ringing');
    expect(run([{ type: 'answer_lost' }, ringing]).state.phase).toBe('ringing');
  });

  it('counts a voicemail as answered, and as successful once the message is left [campaigns.13]', () => {
    const left = run([answered, machine, { type: 'message_left' }, ended('local', 2, 9, true)]);
    expect(left.state).toMatchObject({
      reason: 'voicemail',
      retryable: false,
      voicemailMessageLeft: true,
      duration: 7,
    });
    const hungUp = run([answered, machine, ended('local', 2, 4, true)]);
    expect(hungUp.state).toMatchObject({ reason: 'voicemail', retryable: true });
  });

  it('treats a machine as a human if detection is off', () => {
    const { state } = run([answered, machine, ended('local', 2, 34, true)], { voicemailDetection: false });
    expect(state).toMatchObject({ reason: 'agent_hangup', machineDetected: false });
  });

  it.each([
    ['remote', 2, 10, 'user_hangup', false],
    ['local', 2, 10, 'agent_hangup', false],
    ['local', 2, 62, 'timeout', false],
    ['transferred', 2, 10, 'call_transfer', false],
    ['lost', 2, 10, 'error', false],
    ['local', null, 30, 'dial_no_answer', true],
    ['no_answer', null, 30, 'dial_no_answer', true],
    ['busy', null, 2, 'dial_busy', true],
    ['transient', null, 1, 'dial_failed', true],
    ['no_route', null, 1, 'dial_failed', true],
    ['lost', null, 1, 'dial_failed', true],
    ['refused', null, 1, 'dial_failed', false],
  ] as const)('reads %s, answered at %s, ended at %i as %s', (cause, answer, end, reason, retryable) => {
    expect(run([ended(cause, answer, end)]).state).toMatchObject({ reason, retryable });
  });

  it.each([
    ['inbound', 'lost', 'error'],
    ['inbound', 'remote', 'user_hangup'],
    ['inbound', 'rejected', 'call_rejected'],
    ['web', 'lost', 'error'],
    ['web', 'remote', 'user_hangup'],
  ] as const)(
    'no reason of a dial: an unanswered %s call that ends by %s [calls.5]',
    (callType, cause, reason) => {
      const { state } = run([ended(cause, null, 1)], {}, dialing, callType);
      expect(state).toMatchObject({ reason, retryable: false });
    },
  );

  it('is free without an answer, and costs at least a cent with one [general.5]', () => {
    expect(run([ended('busy', null, 3)]).state).toMatchObject({ duration: 0, cost: 0, answeredAt: null });
    expect(run([answered, ended('remote', 2, 3)]).state).toMatchObject({ duration: 1, cost: 1 });
  });
});
