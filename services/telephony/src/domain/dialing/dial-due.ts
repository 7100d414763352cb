import type { Sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import type { Call } from '../calls/call.ts';
import { type PreparedAssistant, prepareAssistant } from '../conversation/prepare-prompt.ts';
import type { Transact } from '../ports.ts';
import { type AskDeps, askOthers, type Known } from './ask-others.ts';
import type { Departures, Slot } from './departures.ts';
import {
  type DialGrant,
  type GrantPlan,
  type NumberPace,
  openSlots,
  planGrants,
  type WaitingDial,
} from './plan-grants.ts';
import type { AwaitedNumber, DialStore, HeldClock, Most, PreparedGrant } from './ports.ts';

export type DialDeps = AskDeps & {
  store: DialStore;
  transact: Transact;
  clock: Clock;
  departures: Pick<Departures, 'freeAtMs' | 'patienceMs' | 'askMs'>;
  workerId: string;
};

/** A call that is to be dialled now, when the request may leave for the carrier, and how far from the next one. */
export type DueDial = {
  call: Call;
  assistant: PreparedAssistant;
  slot: Slot;
  /** Since it was asked for. Stack time. */
  waitedMs: number;
};

export type DialRound = {
  dials: DueDial[];
  /** Something was decided: there may be more. */
  busy: boolean;
  /** When the next number may dial that something waits for, if that is known. */
  nextAt: Date | null;
};

/** How far ahead a slot has to be granted to be kept, in real milliseconds. */
const LEAST_AHEAD_MS = 40;
const MOST_AHEAD_MS = 250;
/**
 * How much further a round grants that takes place: it costs the same for one dial and for many. With the most of the above
 * it is what a campaign's pause may have to wait for.
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
  const awaited = numbers.map((number) => ({ ...number, pace: number.pace && keepable(deps, number.pace) }));
  if (awaited.length === 0) return { dials: [], busy: false, nextAt: null };
  const now = clock.now();
  const isDue = awaited.some(
    ({ pace }) => !pace?.isActive || openSlots(pace, now, ahead(clock, now, aheadMs)) > 0,
  );
  if (!isDue) return { dials: [], busy: false, nextAt: nextDial(awaited) };
  const until = ahead(clock, now, aheadMs + GATHER_MS);
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
    const decided = await grant(deps, { requests: batch, awaited, known, aheadMs });
    if (decided.busy) return { ...decided, nextAt: null };
  }
  return { dials: [], busy: false, nextAt: null };
}

type GrantInput = {
  requests: readonly WaitingDial[];
  awaited: readonly AwaitedNumber[];
  known: Known;
  aheadMs: number;
};

async function grant(deps: DialDeps, input: GrantInput): Promise<Omit<DialRound, 'nextAt'>> {
  const { store, transact, clock, workerId } = deps;
  const { requests, known, aheadMs } = input;
  const prepared = new Map<string, PreparedAssistant>();
  const outcome = await transact(async (tx) => {
    const facts = await hold(deps, tx, input);
    const now = clock.now();
    const until = ahead(clock, now, aheadMs + GATHER_MS);
    const held = requests.filter(({ callId }) => facts.requests.has(callId));
    const plan = planGrants(held, { ...facts, now, until });
    const clocks = holdOn(deps, plan, facts.numbers);
    await store.advanceClocks(tx, workerId, clocks);
    await store.writeProbes(tx, plan.probes);
    const grants = plan.grants.flatMap((item) => prepare(item, known, prepared));
    const calls = await store.writeGrants(tx, workerId, grants, now);
    await store.writeRefusals(tx, plan.refusals, now);
    return { calls, grants, clocks, refused: plan.refusals.length };
  });
  const slots = new Map(
    outcome.grants.map(({ request, at, intervalMs }): [string, Pick<DueDial, 'slot' | 'waitedMs'>] => {
      const othersMs = outcome.clocks.get(request.phoneNumberId)?.othersMs ?? 0;
      const slot = { at, intervalMs, lateUntil: new Date(othersMs - intervalMs) };
      return [request.callId, { slot, waitedMs: Math.max(0, at.getTime() - request.requestedAt.getTime()) }];
    }),
  );
  const dials = outcome.calls.flatMap((call): DueDial[] => {
    const assistant = prepared.get(call.id);
    const granted = slots.get(call.id);
    return assistant && granted ? [{ call, assistant, ...granted }] : [];
  });
  return { dials, busy: dials.length + outcome.refused > 0 };
}

/** What was granted may leave late, now and before, for as long as the dials of others keep away. */
function holdOn(
  { departures }: DialDeps,
  { clocks, grants }: GrantPlan,
  numbers: ReadonlyMap<string, NumberPace | null>,
): Map<string, HeldClock> {
  return new Map(
    [...clocks].map(([id, nextMs]) => {
      const dials = grants.filter(({ request }) => request.phoneNumberId === id).length;
      const keptMs = numbers.get(id)?.othersDialMs ?? 0;
      return [id, { nextMs, othersMs: Math.max(nextMs + departures.patienceMs(id, dials), keptMs) }];
    }),
  );
}

/** At the pace that this process can keep: what it was granted before has to leave first. */
function keepable({ departures }: DialDeps, pace: NumberPace): NumberPace {
  return { ...pace, nextDialMs: Math.max(pace.nextDialMs, departures.freeAtMs(pace.phoneNumberId)) };
}

async function hold(deps: DialDeps, tx: Sql, { requests, awaited, known }: GrantInput) {
  const { store, workerId } = deps;
  const ofCampaigns = requests.flatMap(({ campaign, workspaceId }) =>
    campaign ? [{ campaign, workspaceId }] : [],
  );
  const workspaceIds = [...new Set(ofCampaigns.map(({ workspaceId }) => workspaceId))].sort();
  const live = await store.countLive(tx, workspaceIds);
  const room = new Map(
    workspaceIds.map((id) => [id, (known.limits.get(id)?.maxLiveCalls ?? 0) - (live.get(id) ?? 0)]),
  );
  const numberIds = [...new Set(requests.map(({ phoneNumberId }) => phoneNumberId))].sort();
  const clocks = await store.holdClocks(tx, workerId, numberIds);
  const gone = awaited
    .filter(({ pace }) => pace === null)
    .map(({ phoneNumberId }) => [phoneNumberId, null] as const);
  const numbers = new Map([
    ...gone,
    ...clocks.map((pace) => [pace.phoneNumberId, keepable(deps, pace)] as const),
  ]);
  // Only theirs: whoever holds a number's clock must find its requests free.
  const decided = requests.filter(({ phoneNumberId }) => numbers.has(phoneNumberId));
  const held = await store.holdRequests(
    tx,
    decided.map(({ callId }) => callId),
  );
  // Read after the requests are held: whoever raises a gate takes the requests back after that.
  const gates = await store.gates(
    tx,
    ofCampaigns.map(({ campaign }) => campaign.campaignId),
  );
  const unwanted = await store.unwantedCalls(tx, decided);
  const agentIds = [...new Set(requests.map(({ agentId }) => agentId))];
  const goneAgents = await store.deletedAgents(tx, agentIds);
  for (const [agentId, snapshot] of known.assistants) if (!snapshot) goneAgents.add(agentId);
  return {
    requests: held,
    numbers,
    gates,
    agents: new Set([...known.assistants].flatMap(([agentId, snapshot]) => (snapshot ? [agentId] : []))),
    goneAgents,
    unwanted,
    room,
  };
}

function prepare(item: DialGrant, known: Known, prepared: Map<string, PreparedAssistant>): PreparedGrant[] {
  const { request } = item;
  const snapshot = known.assistants.get(request.agentId);
  const limits = known.limits.get(request.workspaceId);
  if (!snapshot) return [];
  const assistant = prepareAssistant(snapshot, request.dynamicVariables);
  prepared.set(request.callId, assistant);
  return [
    {
      ...item,
      agentVersion: snapshot.version,
      agentWebhookUrl: snapshot.webhook_url,
      unresolvedPlaceholders: assistant.unresolved,
      rateCents: limits?.rateCents ?? 0,
    },
  ];
}

function ahead({ rate }: Clock, now: Date, realMs: number): Date {
  return new Date(now.getTime() + realMs * rate);
}

function nextDial(awaited: readonly AwaitedNumber[]): Date | null {
  const times = awaited.flatMap(({ pace }) => (pace ? [pace.nextDialMs] : []));
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}
