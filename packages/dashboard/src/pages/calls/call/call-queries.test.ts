import { describe, expect, it } from '@jest/globals';
import type { TimelineEntry } from '@parley/contracts';
import { settlingOf } from './call-queries.ts';

const ended = { status: 'completed', answered_at: '2026-01-01T10:00:00.000Z' } as const;
const timelineOf = (...types: string[]) => types.map((type) => ({ type })) as unknown as TimelineEntry[];

describe('what is made when a call is over [dashboard.51]', () => {
  it('is waited for until it is there, and no longer than the page waits', () => {
    const timeline = timelineOf('answered', 'ended');
    expect(settlingOf(ended, timeline, false)).toBe('soon');
    expect(settlingOf(ended, timeline, true)).toBe('late');
    expect(settlingOf(ended, timelineOf('ended', 'analyzed'), false)).toBe('no');
  });

  it('is not waited for while the call goes on, nor after one that was not answered', () => {
    expect(settlingOf({ ...ended, status: 'in_progress' as never }, timelineOf('answered'), false)).toBe(
      'no',
    );
    expect(settlingOf({ ...ended, answered_at: null }, timelineOf('ended'), false)).toBe('no');
  });
});
