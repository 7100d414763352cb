import { describe, expect, it } from '@jest/globals';
import { createDeliveries, expectedEvents } from './deliveries.ts';

const CALL = '00000000-0000-7000-8000-000000000001';
const delivery = (event: 'call_started' | 'call_ended', webhookId: string, signed = true) => ({
  webhookId,
  signed,
  content: { event, call_id: CALL, payload: {} },
});

describe('createDeliveries', () => {
  it('keeps the order in which signed events first arrived', () => {
    const deliveries = createDeliveries();
    deliveries.note(delivery('call_ended', 'b'));
    deliveries.note(delivery('call_started', 'a'));
    deliveries.note(delivery('call_ended', 'b'));
    expect(deliveries.ofCall(CALL)).toEqual(['call_ended', 'call_started']);
    expect(deliveries.count('call_ended')).toEqual({ requests: 2, signed: 2, calls: 1 });
  });

  it('ignores unsigned events', () => {
    const deliveries = createDeliveries();
    deliveries.note(delivery('call_started', 'a', false));
    expect(deliveries.ofCall(CALL)).toEqual([]);
    expect(deliveries.count('call_started')).toEqual({ requests: 1, signed: 0, calls: 0 });
    expect(deliveries.unsigned()).toBe(1);
  });
});

describe('expectedEvents [calls.7]', () => {
  it('omits call_started for a call that was not answered', () => {
    expect(expectedEvents({ answered_at: null })).toEqual(['call_ended', 'call_analyzed']);
    expect(expectedEvents({ answered_at: '2026-01-31T08:00:00.000Z' })).toHaveLength(3);
  });
});
