import type { Clock } from '@parley/kit/time';
import { type AskDeps, askOthers } from './ask-others.ts';
import type { Departures } from './departures.ts';
import { ahead, type DueDial, type GrantDeps, grantDials, keepable } from './grant-dials.ts';
import { FAIR_TURN_MS } from './lanes.ts';
import { type NumberPace, openSlots } from './plan-grants.ts';
import type { AwaitedNumber, Most } from './ports.ts';

export type DialDeps = AskDeps &
  GrantDeps & { departures: Pick<Departures, 'freeAtMs' | 'patienceMs' | 'lateMs' | 'askMs'> };

export type DialRound = {
  dials: DueDial[];
  /** Something was decided: there may be more. */
  busy: boolean;
  /** When the next number may dial that something waits for, if that is known. */
  nextAt: Date | null;
};

/** How far ahead a slot has to be granted to be kept, also when Postgres hesitates for a moment. Real milliseconds. */
const LEAST_AHEAD_MS = 120;
const MOST_AHEAD_MS = 250;
/** So far ahead grants whoever had the last turn, where anybody has as good a turn now (lanes.ts): the others come first. */
const LAST_TURN_AHEAD_MS = 40;
/**
 * How much further a round grants that takes place: it costs the same for one dial and for many. With the most of the above,
 * and what the number is behind by, it is what a campaign's pause may have to wait for.
 */
const GATHER_MS = 100;
/** One transaction takes this many at most, of one number and in all. */
const MOST_OF_NUMBER = 50;
const MOST = 200;

/** Twice what a round takes, and what is asked before a dial: what one grants has not all left when the next one grants again. */
export function aheadOf(roundMs: number, askMs: number): number {
  return Math.min(Math.max(2 * roundMs, LEAST_AHEAD_MS) + askMs, MOST_AHEAD_MS);
}

/**
 * One round of the dialer (docs: how a call is dialled exactly once): decides on requests of all numbers that may dial,
 * and commits each call as `dialing` before anything leaves. Any number of dialers may run; a number's clock is held by
 * one of them.
 */
export async function dialDue(deps: DialDeps, aheadMs: number): Promise<DialRound> {
  const { store, clock } = deps;
  const numbers = await store.awaitedNumbers(deps.workerId);
  const awaited = numbers.map(({ phoneNumberId, pace }) => ({
    phoneNumberId,
    pace: pace && othersFirst(keepable(deps, pace), (aheadMs - LAST_TURN_AHEAD_MS) * clock.rate, clock),
  }));
  if (awaited.length === 0) return { dials: [], busy: false, nextAt: null };
  const now = clock.now();
  const isDue = awaited.some(
    ({ pace }) => !pace?.isActive || openSlots(pace, now, ahead(clock, now, aheadMs)) > 0,
  );
  if (!isDue) return { dials: [], busy: false, nextAt: nextDial(awaited) };
  const furtherMs = aheadMs + GATHER_MS;
  const until = ahead(clock, now, furtherMs);
  const due = awaited.flatMap(({ phoneNumberId, pace }): [string, Most][] => {
    const slots = pace?.isActive ? openSlots(pace, now, until) : MOST_OF_NUMBER;
    const single = Math.min(slots, MOST_OF_NUMBER);
    const ofCampaigns = pace?.probeAt ? Number(pace.probeAt <= until) : single;
    return slots > 0 ? [[phoneNumberId, { single, ofCampaigns }]] : [];
  });
  if (due.length === 0) return { dials: [], busy: false, nextAt: nextDial(awaited) };
  const requests = await store.oldestRequests(new Map(due), deps.unreachable.current());
  // Those that have to wait, for room or for an answer, are the oldest soon: whoever comes after them has a turn as well.
  for (let first = 0; first < requests.length; first += MOST) {
    const batch = requests.slice(first, first + MOST);
    const known = await askOthers(deps, batch);
    const decided = await grantDials(deps, { requests: batch, awaited, known, aheadMs: furtherMs });
    if (decided.busy) return { ...decided, nextAt: null };
  }
  return { dials: [], busy: false, nextAt: null };
}

/** What this process dialled last of a number whose turn is anybody's waits a little, until none of the others wanted it. */
export function othersFirst(pace: NumberPace, waitMs: number, { rate }: Clock): NumberPace {
  const { othersDialMs, nextDialMs } = pace;
  const isAnybodys = othersDialMs !== null && othersDialMs <= nextDialMs + FAIR_TURN_MS * rate;
  return isAnybodys ? { ...pace, nextDialMs: Math.max(nextDialMs, othersDialMs) + waitMs } : pace;
}

function nextDial(awaited: readonly AwaitedNumber[]): Date | null {
  const times = awaited.flatMap(({ pace }) => (pace ? [pace.nextDialMs] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}
