import { describe, expect, it } from '@jest/globals';
import { deliveryWords, resultWords } from './delivery-words.ts';

describe('deliveries in words', () => {
  it('name the status of an error, and stay readable for results to come', () => {
    expect(deliveryWords('http_error', 503)).toBe('The receiver answered with an error: 503');
    expect(deliveryWords('timeout', 0)).toBe('No answer within 12 seconds');
    expect(deliveryWords('certificate_expired', 0)).toBe('certificate expired');
  });

  it('say what a retry did with each event', () => {
    const words = resultWords({
      call_ended: { ok: true, status: 200, reason: 'delivered' },
      call_analyzed: { ok: false, status: 0, reason: 'timeout' },
      call_started: undefined,
    });
    expect(words).toBe('call_ended was delivered. call_analyzed failed: no answer within 12 seconds.');
  });
});
