import { describe, expect, it } from '@jest/globals';
import { CAMPAIGN_STATUSES } from '@parley/contracts';
import { type Situation, type Trigger, transition } from './transition.ts';

const open: Situation = { hasRun: true, isScheduledAhead: false, isOpen: true, isDone: false };
const closed: Situation = { ...open, isOpen: false };

/** D7.1, cell by cell, inside the hours. */
const CELLS = {
  draft: { resume: 'running', pause: 'refuse', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  scheduled: { resume: 'running', pause: 'paused', cancel: 'cancelled', clock: 'running', finished: 'stay' },
  running: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: 'stay', finished: 'completed' },
  dormant: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: 'running', finished: 'completed' },
  paused: { resume: 'running', pause: 'stay', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  completed: { resume: 'refuse', pause: 'refuse', cancel: 'refuse', clock: 'stay', finished: 'stay' },
  cancelled: { resume: 'refuse', pause: 'refuse', cancel: 'stay', clock: 'stay', finished: 'stay' },
} as const;

describe('transition', () => {
  const cells = CAMPAIGN_STATUSES.flatMap((from) =>
    (Object.keys(CELLS[from]) as Trigger[]).map((trigger) => [from, trigger, CELLS[from][trigger]] as const),
  );
  it.each(cells)('%s, %s: %s', (from, trigger, move) => {
    expect(transition(from, trigger, open)).toBe(move);
  });

  it.each([
    ['draft', 'resume', 'dormant'],
    ['scheduled', 'resume', 'dormant'],
    ['scheduled', 'clock', 'dormant'],
    ['running', 'resume', 'stay'],
    ['running', 'clock', 'dormant'],
    ['dormant', 'clock', 'stay'],
    ['paused', 'resume', 'dormant'],
  ] as const)('outside its hours: %s, %s: %s', (from, trigger, move) => {
    expect(transition(from, trigger, closed)).toBe(move);
  });

  it('is scheduled again when it is resumed before its time and has never run', () => {
    const ahead = { ...open, hasRun: false, isScheduledAhead: true };
    expect(transition('paused', 'resume', ahead)).toBe('scheduled');
    expect(transition('paused', 'resume', { ...ahead, hasRun: true })).toBe('running');
    expect(transition('scheduled', 'resume', ahead)).toBe('running');
    expect(transition('scheduled', 'clock', ahead)).toBe('stay');
  });

  it('completes when it is resumed with nothing left', () => {
    expect(transition('paused', 'resume', { ...open, isDone: true })).toBe('completed');
    expect(transition('paused', 'resume', { ...closed, isDone: true })).toBe('completed');
  });
});
