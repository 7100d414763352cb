import { describe, expect, it } from '@jest/globals';
import { afterCheck, checkAgainMs, type TrunkState } from './trunk-health.ts';

const at = new Date('2026-11-26T12:00:00Z');
const unknown: TrunkState = { health: 'unknown', failures: 0, reason: null, since: null };
const response = (status: number, text: string) => ({ isReachable: true, status, text });
const silence = { isReachable: false, status: null, text: 'The trunk did not respond in time' };

describe('the health of a trunk [sip.35]', () => {
  it('is up after any response but 503, which it then tells', () => {
    expect(afterCheck(unknown, response(200, 'OK'), at)).toEqual({
      health: 'up',
      failures: 0,
      reason: null,
      since: at,
    });
    expect(afterCheck(unknown, response(403, 'Forbidden'), at)).toMatchObject({
      health: 'up',
      reason: '403 Forbidden',
    });
    expect(afterCheck(unknown, response(503, 'Service Unavailable'), at)).toMatchObject({
      health: 'down',
      reason: '503 Service Unavailable',
    });
  });

  it('is down at once if it was never up, and after two misses if it was', () => {
    expect(afterCheck(unknown, silence, at)).toMatchObject({ health: 'down', since: at });
    const up = afterCheck(unknown, response(200, 'OK'), new Date(0));
    const missed = afterCheck(up, silence, at);
    expect(missed).toMatchObject({ health: 'up', failures: 1, since: new Date(0) });
    expect(afterCheck(missed, silence, at)).toMatchObject({ health: 'down', failures: 2, since: at });
    expect(afterCheck(missed, response(200, 'OK'), at)).toMatchObject({ health: 'up', failures: 0 });
  });

  it('is checked each minute; while it fails after 15 seconds, doubling up to five minutes [trust.1]', () => {
    const after = [0, 1, 2, 3, 4, 5, 6, 100].map((failures) => checkAgainMs({ failures }) / 1_000);
    expect(after).toEqual([60, 15, 30, 60, 120, 240, 300, 300]);
  });
});
