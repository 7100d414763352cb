import { expect, it } from '@jest/globals';
import { paceOf } from './campaign-pace.ts';

const started_at = '2026-03-14T09:00:00.000Z';

it.each([
  [
    { completed_at: '2026-03-14T09:00:40.000Z', completed_calls: 80 },
    { duration: '40 s', rate: '2.0/s' },
  ],
  [
    { completed_at: '2026-03-14T11:05:00.000Z', completed_calls: 250 },
    { duration: '2 h 5 min', rate: '2.0/min' },
  ],
  [
    { completed_at: '2026-03-14T09:00:00.000Z', completed_calls: 0 },
    { duration: '1 s', rate: '0.0/min' },
  ],
  [{ completed_at: null, completed_calls: 3 }, undefined],
])('a campaign that has ended says how long it took, and how fast it was: %j', (ended, pace) => {
  expect(paceOf({ started_at, ...ended })).toEqual(pace);
});

it('a campaign that never started has no pace', () => {
  expect(paceOf({ started_at: null, completed_at: started_at, completed_calls: 0 })).toBeUndefined();
});
