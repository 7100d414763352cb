import { describe, expect, it } from '@jest/globals';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '@parley/contracts';
import { type Move, type Situation, type Trigger, transition } from './transition.ts';

const open: Situation = { hasRun: true, isScheduledAhead: false, isOpen: true, isDone: false };
const closed: Situation = { ...open, isOpen: false };

type Cells = Record<CampaignStatus, Record<Trigger, Move>>;

/** The table of [campaigns.5], cell by cell. "By itself" are two triggers: `clock` and `finished`. */
const OPEN: Cells = {
  draft: { resume: 'running', pause: 'refuse', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  scheduled: { resume: 'running', pause: 'paused', cancel: 'cancelled', clock: 'running', finished: 'stay' },
  running: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: 'stay', finished: 'completed' },
  dormant: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: 'running', finished: 'completed' },
  paused: { resume: 'running', pause: 'stay', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  completed: { resume: 'refuse', pause: 'refuse', cancel: 'refuse', clock: 'stay', finished: 'stay' },
  cancelled: { resume: 'refuse', pause: 'refuse', cancel: 'stay', clock: 'stay', finished: 'stay' },
};
const CLOSED: Cells = {
  ...OPEN,
  draft: { ...OPEN.draft, resume: 'dormant' },
  scheduled: { ...OPEN.scheduled, resume: 'dormant', clock: 'dormant' },
  running: { ...OPEN.running, clock: 'dormant' },
  dormant: { ...OPEN.dormant, clock: 'stay' },
  paused: { ...OPEN.paused, resume: 'dormant' },
};

const cellsOf = (cells: Cells) =>
  CAMPAIGN_STATUSES.flatMap((from) =>
    (Object.keys(cells[from]) as Trigger[]).map((trigger) => [from, trigger, cells[from][trigger]] as const),
  );

describe('the table of transitions [campaigns.5]', () => {
  it.each(cellsOf(OPEN))('inside its hours: %s, %s: %s', (from, trigger, move) => {
    expect(transition(from, trigger, open)).toBe(move);
  });

  it.each(cellsOf(CLOSED))('outside its hours: %s, %s: %s', (from, trigger, move) => {
    expect(transition(from, trigger, closed)).toBe(move);
  });

  it('paused, resume: returns to scheduled if it has not run yet and its time is later [campaigns.5]', () => {
    const ahead = { ...open, hasRun: false, isScheduledAhead: true };
    for (const isOpen of [true, false]) {
      expect(transition('paused', 'resume', { ...ahead, isOpen })).toBe('scheduled');
    }
    expect(transition('paused', 'resume', { ...ahead, hasRun: true })).toBe('running');
    expect(transition('paused', 'resume', { ...ahead, isScheduledAhead: false })).toBe('running');
  });

  it('scheduled: starts at its time and not before, but a resume starts it now [campaigns.5]', () => {
    const ahead = { ...open, hasRun: false, isScheduledAhead: true };
    expect(transition('scheduled', 'clock', ahead)).toBe('stay');
    expect(transition('scheduled', 'resume', ahead)).toBe('running');
    expect(transition('scheduled', 'resume', { ...ahead, isOpen: false })).toBe('dormant');
  });

  it('paused, resume: completed at once if every contact has its outcome [campaigns.5]', () => {
    expect(transition('paused', 'resume', { ...open, isDone: true })).toBe('completed');
    expect(transition('paused', 'resume', { ...closed, isDone: true })).toBe('completed');
  });
});
