import type { MessageData } from '@parley/contracts';
import { type Ended, judgeOutcome, type RetryRules } from './judge-outcome.ts';

/*
 * An attempt: requested → dialled → answered → ended; or requested → withdrawn | refused. News of it may come late,
 * twice and in any order: only what leads forward counts, and nothing leaves the last three states.
 * Its contact: queued while the attempt is requested, then dialing, in_progress, and at the end succeeded, failed or
 * retrying; a withdrawn attempt never was, and the contact waits as before.
 */

export type AttemptState = 'requested' | 'dialled' | 'answered' | 'ended' | 'withdrawn' | 'refused';
export type StoredContactStatus =
  | 'pending'
  | 'queued'
  | 'dialing'
  | 'in_progress'
  | 'retrying'
  | 'succeeded'
  | 'failed';

export type News =
  | { kind: 'dialing' }
  | { kind: 'started' }
  | { kind: 'ended'; ended: Ended }
  | { kind: 'refused'; reason: MessageData<'dial.refused'>['reason'] };

export type Progress = {
  state: AttemptState;
  contact: {
    /** Dials so far; the attempt counts from the moment it is dialled. */
    attempts: number;
    lastOutcome: string | null;
    nextAttemptAt: Date | null;
  };
};

export type Advance = {
  state: AttemptState;
  contact: Progress['contact'] & { status: StoredContactStatus; wasDialled: boolean };
};

const RANK: Record<AttemptState, number> = {
  requested: 0,
  dialled: 1,
  answered: 2,
  ended: 3,
  withdrawn: 3,
  refused: 3,
};

/** What a piece of news changes; null when it is old. */
export function advanceAttempt({ state, contact }: Progress, news: News, rules: RetryRules): Advance | null {
  const to = stateAfter(news);
  if (RANK[to] <= RANK[state]) return null;
  // What was dialled can't be refused any more.
  if (news.kind === 'refused' && state !== 'requested') return null;
  const wasDialled = !isUndialled(news);
  // It counted when telephony granted it; one that didn't leave after all counts no more.
  const counted = state === 'requested' ? 0 : 1;
  const attempts = contact.attempts + (wasDialled ? 1 : 0) - counted;
  return { state: to, contact: { ...contact, attempts, wasDialled, ...contactAfter(news, attempts, rules) } };
}

/** Nobody was dialled: refused in the queue, or between the grant and the dial. */
function isUndialled(news: News): boolean {
  if (news.kind === 'ended') return news.ended.do_not_call === true || news.ended.withdrawn === true;
  return news.kind === 'refused';
}

function stateAfter(news: News): AttemptState {
  if (news.kind === 'dialing') return 'dialled';
  if (news.kind === 'started') return 'answered';
  if (news.kind === 'ended') return news.ended.withdrawn ? 'withdrawn' : 'ended';
  return news.reason === 'withdrawn' ? 'withdrawn' : 'refused';
}

type ContactAfter = { status: StoredContactStatus; lastOutcome?: string; nextAttemptAt?: Date | null };

function contactAfter(news: News, attempts: number, rules: RetryRules): ContactAfter {
  switch (news.kind) {
    case 'dialing':
      return { status: 'dialing' };
    case 'started':
      return { status: 'in_progress' };
    case 'ended': {
      if (news.ended.withdrawn) return waitsAgain(attempts);
      const outcome = judgeOutcome(news.ended, attempts, rules);
      const nextAttemptAt = outcome.status === 'retrying' ? outcome.at : null;
      const lastOutcome = news.ended.do_not_call ? 'do_not_call' : news.ended.disconnection_reason;
      return { status: outcome.status, lastOutcome, nextAttemptAt };
    }
    case 'refused':
      if (news.reason === 'withdrawn') return waitsAgain(attempts);
      return {
        status: 'failed',
        lastOutcome: news.reason === 'do_not_call' ? 'do_not_call' : 'dial_failed',
        nextAttemptAt: null,
      };
  }
}

/** As before the attempt, whose number and time stay. */
function waitsAgain(attempts: number): ContactAfter {
  return { status: attempts > 0 ? 'retrying' : 'pending' };
}
