import type { Sql } from '@parley/kit/db';
import type { Clock } from '@parley/kit/time';
import { type PreparedAssistant, prepareAssistant } from '../assistants/prepare-prompt.ts';
import type { Transact, WorkspaceLimits } from '../clients/ports.ts';
import { isAllowedNumber } from '../limits/destinations.ts';
import { affordableCalls } from '../limits/spend.ts';
import type { Call } from '../sessions/call.ts';
import type { Known } from './ask-others.ts';
import type { Departures } from './departures.ts';
import type { Slot } from './lanes.ts';
import { CLEARANCE_MS } from './lanes.ts';
import {
  type DialGrant,
  type GrantPlan,
  type NumberPace,
  planGrants,
  type WaitingDial,
} from './plan-grants.ts';
import type { AwaitedNumber, DialStore, HeldClock, PreparedGrant } from './ports.ts';

export type GrantDeps = {
  store: DialStore;
  transact: Transact;
  clock: Clock;
  departures: Pick<Departures, 'freeAtMs' | 'patienceMs' | 'lateMs' | 'expectedMs'>;
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

export type GrantInput = {
  requests: readonly WaitingDial[];
  awaited: readonly AwaitedNumber[];
  known: Known;
  /** How far ahead slots are granted. Real time. */
  aheadMs: number;
};

/**
 * Decides on requests in one transaction: holds their numbers' clocks and the requests, plans (plan-grants.ts), writes the
 * calls as `dialing` and what was refused. Gives the dials, and whether anything was decided.
 */
export async function grantDials(
  deps: GrantDeps,
  input: GrantInput,
): Promise<{ dials: DueDial[]; busy: boolean }> {
  const { store, transact, clock, workerId } = deps;
  const { requests, known, aheadMs } = input;
  const prepared = new Map<string, PreparedAssistant>();
  const outcome = await transact(async (tx) => {
    const facts = await hold(deps, tx, input);
    const now = clock.now();
    const until = ahead(clock, now, aheadMs);
    const held = requests.filter(({ callId }) => facts.requests.has(callId));
    const plan = planGrants(held, { ...facts, now, until });
    const clocks = holdOn(deps, plan, facts.numbers);
    await store.advanceClocks(tx, workerId, clocks);
    await store.writeProbes(tx, plan.probes);
    const starts = startsOf(deps, plan);
    const grants = plan.grants.flatMap((item) => prepare(item, starts, known, prepared));
    const calls = await store.writeGrants(tx, workerId, grants, now);
    await store.writeRefusals(tx, plan.refusals, now);
    return { calls, grants, clocks, refused: plan.refusals.length };
  });
  const clearanceMs = CLEARANCE_MS * clock.rate;
  const slots = new Map(
    outcome.grants.map(
      ({ request, at, intervalMs, startsAt }): [string, Pick<DueDial, 'slot' | 'waitedMs'>] => {
        const othersMs = outcome.clocks.get(request.phoneNumberId)?.othersMs ?? 0;
        const slot = { at, intervalMs, lateUntil: new Date(othersMs - intervalMs - clearanceMs) };
        return [
          request.callId,
          { slot, waitedMs: Math.max(0, startsAt.getTime() - request.requestedAt.getTime()) },
        ];
      },
    ),
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
  { departures, clock }: GrantDeps,
  { clocks, grants }: GrantPlan,
  numbers: ReadonlyMap<string, NumberPace | null>,
): Map<string, HeldClock> {
  const nowMs = clock.now().getTime();
  return new Map(
    [...clocks].map(([id, nextMs]) => {
      const dials = grants.filter(({ request }) => request.phoneNumberId === id);
      const lateMs = nowMs - (dials[0]?.at.getTime() ?? nowMs);
      const keptMs = numbers.get(id)?.othersDialMs ?? 0;
      const patienceMs = departures.patienceMs(id, dials.length, lateMs);
      return [id, { nextMs, othersMs: Math.max(nextMs + patienceMs, keptMs) }];
    }),
  );
}

async function hold(deps: GrantDeps, tx: Sql, { requests, awaited, known }: GrantInput) {
  const { store, workerId } = deps;
  const ofCampaigns = requests.flatMap(({ campaign, workspaceId }) =>
    campaign ? [{ campaign, workspaceId }] : [],
  );
  const workspaceIds = [...new Set(ofCampaigns.map(({ workspaceId }) => workspaceId))].sort();
  const live = await store.countLive(tx, workspaceIds);
  const limited = workspaceIds.filter((id) => known.limits.get(id)?.dailySpendLimitCents != null);
  const spent = await store.spentOn(tx, limited, deps.clock.now());
  const room = new Map(
    workspaceIds.map((id) => [id, roomOf(known.limits.get(id), live.get(id) ?? 0, spent.get(id) ?? 0)]),
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
    ...boundsOf(requests, known),
  };
}

/** How many more calls of campaigns a workspace takes now [general.17] [trust.22]. */
function roomOf(limits: WorkspaceLimits | undefined, live: number, spentCents: number): number {
  if (!limits) return 0;
  return Math.min(limits.maxLiveCalls - live, affordableCalls(limits, spentCents, live));
}

/** What waits since its workspace is suspended, and what may not be dialled by its settings [trust.22] [trust.24]. */
function boundsOf(requests: readonly WaitingDial[], { limits }: Known) {
  const suspended = [...limits].flatMap(([id, { isSuspended }]) => (isSuspended ? [id] : []));
  const forbidden = requests.filter(
    ({ workspaceId, toNumber }) =>
      !isAllowedNumber(toNumber, limits.get(workspaceId)?.allowedDestinations ?? []),
  );
  return {
    suspended: new Set(suspended),
    forbidden: new Set(forbidden.map(({ callId }) => callId)),
  };
}

/** When the dials of each number leave, by call. */
function startsOf({ departures }: GrantDeps, { clocks, grants }: GrantPlan): Map<string, Date> {
  const starts = new Map<string, Date>();
  for (const id of clocks.keys()) {
    const dials = grants.filter(({ request }) => request.phoneNumberId === id);
    const expectedMs = departures.expectedMs(id, dials);
    for (const [i, { request, at }] of dials.entries()) {
      starts.set(request.callId, new Date(Math.round(expectedMs[i] ?? at.getTime())));
    }
  }
  return starts;
}

function prepare(
  item: DialGrant,
  starts: ReadonlyMap<string, Date>,
  known: Known,
  prepared: Map<string, PreparedAssistant>,
): PreparedGrant[] {
  const { request } = item;
  const snapshot = known.assistants.get(request.agentId);
  const limits = known.limits.get(request.workspaceId);
  if (!snapshot) return [];
  const assistant = prepareAssistant(snapshot, request.dynamicVariables);
  prepared.set(request.callId, assistant);
  return [
    {
      ...item,
      startsAt: starts.get(request.callId) ?? item.at,
      agentVersion: snapshot.version,
      agentWebhookUrl: snapshot.webhook_url,
      unresolvedPlaceholders: assistant.unresolved,
      rateCents: limits?.rateCents ?? 0,
    },
  ];
}

/** At the pace that this process can keep: what it was granted before has to leave first. The holder catches up. */
export function keepable({ departures }: Pick<GrantDeps, 'departures'>, pace: NumberPace): NumberPace {
  const { phoneNumberId, nextDialMs, othersDialMs } = pace;
  const lateMs = othersDialMs === null ? 0 : departures.lateMs(phoneNumberId);
  return { ...pace, lateMs, nextDialMs: Math.max(nextDialMs, departures.freeAtMs(phoneNumberId)) };
}

/** So much later in real time. */
export function ahead({ rate }: Clock, now: Date, realMs: number): Date {
  return new Date(now.getTime() + realMs * rate);
}
