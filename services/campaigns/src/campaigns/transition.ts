import type { CampaignStatus } from '@parley/contracts';

/*
 * The states of a campaign [campaigns.5]:
 *   draft, scheduled      not started
 *   running               requests dials
 *   dormant               runs, but its hours are closed: requests no dials
 *   paused                until it is resumed
 *   completed, cancelled  final
 * Triggers: a request of a client (`Verb`), `clock` (its scheduled time comes, or its hours open or close), `finished` (the last contact has its
 * outcome).
 */

export type Verb = 'resume' | 'pause' | 'cancel';
export type Trigger = Verb | 'clock' | 'finished';

export type Situation = {
  /** It was `running` before. */
  hasRun: boolean;
  /** Its schedule is in the future. */
  isScheduledAhead: boolean;
  /** Its hours are open now. */
  isOpen: boolean;
  /** Every contact has its outcome. */
  isDone: boolean;
};

/** `stay`: allowed, without effect. `refuse`: 409. */
export type Move = 'stay' | 'refuse' | CampaignStatus;

type Rule = Move | ((situation: Situation) => Move);

const dial = ({ isOpen, isDone }: Situation): Move => (isDone ? 'completed' : isOpen ? 'running' : 'dormant');
const again = (situation: Situation): Move =>
  !situation.hasRun && situation.isScheduledAhead ? 'scheduled' : dial(situation);

const TABLE: Record<CampaignStatus, Record<Trigger, Rule>> = {
  draft: { resume: dial, pause: 'refuse', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  scheduled: { resume: dial, pause: 'paused', cancel: 'cancelled', clock: due, finished: 'stay' },
  running: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: hours, finished: 'completed' },
  dormant: { resume: 'stay', pause: 'paused', cancel: 'cancelled', clock: hours, finished: 'completed' },
  paused: { resume: again, pause: 'stay', cancel: 'cancelled', clock: 'stay', finished: 'stay' },
  completed: { resume: 'refuse', pause: 'refuse', cancel: 'refuse', clock: 'stay', finished: 'stay' },
  cancelled: { resume: 'refuse', pause: 'refuse', cancel: 'stay', clock: 'stay', finished: 'stay' },
};

/** The table of [campaigns.5]. Never returns the current status. */
export function transition(from: CampaignStatus, trigger: Trigger, situation: Situation): Move {
  const rule = TABLE[from][trigger];
  const move = typeof rule === 'function' ? rule(situation) : rule;
  return move === from ? 'stay' : move;
}

function due(situation: Situation): Move {
  return situation.isScheduledAhead ? 'stay' : dial(situation);
}

function hours({ isOpen }: Situation): Move {
  return isOpen ? 'running' : 'dormant';
}
