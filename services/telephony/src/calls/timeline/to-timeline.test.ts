import { describe, expect, it } from '@jest/globals';
import type { TimelineCall, TimelineItem } from './ports.ts';
import { toTimeline } from './to-timeline.ts';

const at = (second: number): Date => new Date(Date.UTC(2026, 0, 31, 8, 0, second));

const call: TimelineCall = {
  callType: 'outbound',
  fromNumber: '+12125550150',
  toNumber: '+12125550101',
  callSid: 'leg',
  reason: 'user_hangup',
  duration: 8,
  cost: 2,
  startedAt: at(2),
  endedAt: at(10),
};

const said = (second: number, content: string): TimelineItem => ({
  at: at(second),
  type: 'turn',
  detail: { role: 'agent', content },
});

const types = (items: TimelineItem[]): string[] => toTimeline(call, items).map(({ type }) => type);

describe('toTimeline [calls.11]', () => {
  it('orders entries of the same instant by the course of a call', () => {
    const items: TimelineItem[] = [
      said(2, 'Hello'),
      { at: at(2), type: 'answered' },
      { at: at(2), type: 'dialing' },
      { at: at(2), type: 'ringing' },
      { at: at(2), type: 'queued' },
    ];
    expect(types(items)).toEqual(['queued', 'dialing', 'ringing', 'answered', 'turn']);
  });

  it('shows a dial at the time it left, which may be later than its grant', () => {
    const [dialing] = toTimeline({ ...call, startedAt: at(4) }, [{ at: at(2), type: 'dialing' }]);
    expect(dialing).toMatchObject({ at: '2026-01-31T08:00:04.000Z' });
  });

  it.each(['do_not_call', 'number_unavailable', 'withdrawn', 'no_carrier', 'no_route'])(
    'shows no dial that did not leave: %s',
    (cause) => {
      const items: TimelineItem[] = [
        { at: at(1), type: 'queued' },
        { at: at(3), type: 'dialing' },
        { at: at(2), type: 'ended', detail: { cause } },
      ];
      expect(types(items)).toEqual(['queued', 'ended']);
    },
  );

  it('shows no turn after the end, even if it was recorded late', () => {
    const items: TimelineItem[] = [
      { at: at(10), type: 'ended', detail: { cause: 'remote' } },
      said(11, 'Goodbye'),
      { at: at(12), type: 'analyzed', detail: { edition: 1, complete: true } },
    ];
    expect(types(items)).toEqual(['turn', 'ended', 'analyzed']);
    expect(toTimeline(call, items)[0]).toMatchObject({ at: '2026-01-31T08:00:10.000Z', content: 'Goodbye' });
  });

  it.each([
    ['do_not_call', 'The number is on the do-not-call list and was not dialed.'],
    ['remote', 'The contact hung up after 8 seconds.'],
    ['a cause of tomorrow', 'The contact hung up after 8 seconds.'],
  ])('says why the call ended: %s', (cause, message) => {
    expect(toTimeline(call, [{ at: at(10), type: 'ended', detail: { cause } }])[0]).toMatchObject({
      message,
    });
  });

  it('gives the reason of a call that had no route as Parley says it, not as words of the carrier [sip.8]', () => {
    const detail = {
      cause: 'no_route',
      provider_code: null,
      provider_text: 'sip.example.com does not resolve to a public address',
    };
    expect(toTimeline(call, [{ at: at(10), type: 'ended', detail }])[0]).toMatchObject({
      message: 'The call was not sent to its trunk: sip.example.com does not resolve to a public address.',
    });
  });

  it.each([
    ['inbound', 'The caller hung up after 8 seconds.'],
    ['web', 'The visitor hung up after 8 seconds.'],
  ] as const)('names who ended it as the call does: %s', (callType, message) => {
    const items: TimelineItem[] = [{ at: at(10), type: 'ended', detail: { cause: 'remote' } }];
    expect(toTimeline({ ...call, callType }, items)[0]).toMatchObject({ message });
  });
});
