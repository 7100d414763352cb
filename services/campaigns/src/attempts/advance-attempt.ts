import type { MessageData } from '@parley/contracts';
import { type Ended, judgeOutcome, type RetryRules } from './judge-outcome.ts';

/*
 * attempt:  requested → dialled → answered → ended
 *           requested | dialled → withdrawn | refused
 * contact:  queued      dialing   in_progress  succeeded | failed | retrying
 *
 * Updates may arrive late, repeatedly and in any order: only those that move forward count, and the last three states are
 * final. The contact of a withdrawn attempt, such as one of a paused campaign, has the status from before the attempt.
 */

type AttemptState = 'requested' | 'dialled' | 'answered' | 'ended' | 'withdrawn' | 'refused';
type StoredContactStatus =
  | 'pending'
  | 'queued'
  | 'dialing'
  | 'in_progress'
  | 'retrying'
  | 'succeeded'
  | 'failed';

/** Telephony's report about a dial. */
export type AttemptUpdate =
  | { kind: 'dialing' }
  | { kind: 'started' }
  | { kind: 'ended'; ended: Ended }
  | { kind: 'refused'; reason: MessageData<'dial.refused'>['reason'] };

export type Progress = {
  state: AttemptState;
  contact: {
    /** Dials so far; an attempt counts once it is dialed. */
    attempts: number;
    lastOutcome: string | null;
    nextAttemptAt: Date | null;
  };
};

export type Advance = {
  state: AttemptState;
  contact: Progress['contact'] & { status: StoredContactStatus; wasDialed: boolean };
};

/** The delay of a contact outside of the allowed destinations. */
const NOT_ALLOWED_DELAY_MS = 3_600_000;

const RANK: Record<AttemptState, number> = {
  requested: 0,
  dialled: 1,
  answered: 2,
  ended: 3,
  withdrawn: 3,
  refused: 3,
};

/** What an update changes; null if it is obsolete. */
export function advanceAttempt(
  { state, contact }: Progress,
  update: AttemptUpdate,
  rules: RetryRules,
): Advance | null {
  const to = stateAfter(update);
  if (RANK[to] <= RANK[state]) return null;
  // A call that telephony announced can still be withdrawn if the carrier never received it; an answered one can't.
  if (update.kind === 'refused' && state === 'answered') return null;
  const wasDialed = !isUndialed(update);
  // It counted when telephony announced the call; a dial that didn't leave after all doesn't.
  const counted = state === 'requested' ? 0 : 1;
  const attempts = contact.attempts + (wasDialed ? 1 : 0) - counted;
  return {
    state: to,
    contact: { ...contact, attempts, wasDialed, ...contactAfter(update, attempts, rules) },
  };
}

/** The carrier never received the dial, so it uses up no attempt. */
function isUndialed(update: AttemptUpdate): boolean {
  if (update.kind === 'ended') return update.ended.do_not_call === true || update.ended.withdrawn === true;
  return update.kind === 'refused';
}

function stateAfter(update: AttemptUpdate): AttemptState {
  if (update.kind === 'dialing') return 'dialled';
  if (update.kind === 'started') return 'answered';
  if (update.kind === 'ended') return update.ended.withdrawn ? 'withdrawn' : 'ended';
  return isWithdrawn(update.reason) ? 'withdrawn' : 'refused';
}

type ContactAfter = { status: StoredContactStatus; lastOutcome?: string; nextAttemptAt?: Date | null };

function contactAfter(update: AttemptUpdate, attempts: number, rules: RetryRules): ContactAfter {
  switch (update.kind) {
    case 'dialing':
      return { status: 'dialing' };
    case 'started':
      return { status: 'in_progress' };
    case 'ended': {
      if (update.ended.withdrawn) return asBefore(attempts);
      const outcome = judgeOutcome(update.ended, attempts, rules);
      const nextAttemptAt = outcome.status === 'retrying' ? outcome.at : null;
      const lastOutcome = update.ended.do_not_call ? 'do_not_call' : update.ended.disconnection_reason;
      return { status: outcome.status, lastOutcome, nextAttemptAt };
    }
    case 'refused':
      if (update.reason === 'withdrawn') return asBefore(attempts);
      if (update.reason === 'destination_not_allowed') return delayed(attempts, update.reason, rules);
      return {
        status: 'failed',
        lastOutcome: update.reason === 'do_not_call' ? 'do_not_call' : 'dial_failed',
        nextAttemptAt: null,
      };
  }
}

function isWithdrawn(reason: MessageData<'dial.refused'>['reason']): boolean {
  return reason === 'withdrawn' || reason === 'destination_not_allowed';
}

/** A destination may be allowed later [trust.22]: it is tried again without using up an attempt. */
function delayed(attempts: number, lastOutcome: string, { now }: RetryRules): ContactAfter {
  const nextAttemptAt = new Date((now?.getTime() ?? 0) + NOT_ALLOWED_DELAY_MS);
  return { ...asBefore(attempts), lastOutcome, nextAttemptAt };
}

/** The status before the attempt. */
function asBefore(attempts: number): ContactAfter {
  return { status: attempts > 0 ? 'retrying' : 'pending' };
}
