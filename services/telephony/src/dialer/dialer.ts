import { coalesce, createJobLoop, type WakeUp } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type Clock, monotonicMs, realTimer } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Transact } from '../clients/ports.ts';
import { countRemainingCalls } from '../limits/remaining-calls.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { Owner } from '../sessions/ports.ts';
import { writeProbes } from './circuits.store.ts';
import { writeRefusals } from './dial-refusals.store.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import type { AwaitedNumber, DialStore } from './dials.store.ts';
import { type LoadDeps, loadDependencies } from './load-dependencies.ts';
import { nextSlotMs, openSlots, type PlannedDial, planSlots, roundRobin, type Span } from './plan-slots.ts';
import { createPrepareDial } from './prepare-dial.ts';

/*
 * The path of a dial, in the order of this file. All durations are in real time.
 *
 *   request     a row, written when a call is placed or a campaign requests a dial (dial-requests.store.ts)
 *   round       a worker with free capacity finds numbers whose next free slot is near, and their oldest requests
 *   reserve     one transaction locks the numbers' clocks and the requests, checks the gates (gates.ts), takes the next
 *               slots (plan-slots.ts) and writes the calls as `dialing`, owned by this worker (dials.store.ts)
 *   departure   at its slot the dial leaves for the carrier (../sessions/outbound-leg.ts). If that is too late, the call is
 *               undone (undo-dials.store.ts) and the request waits again; as the oldest it gets the next free slot
 *   outcome     the session reports it (../sessions/session.ts). If the worker dies, another one asks the carrier first
 */

/**
 * A worker polls once per lead. When a number's next free slot is one to two leads away, it reserves the slots of the next three leads.
 * With a shorter lead, calls would be committed too late for their slots. With a longer one, a pause would wait longer for the
 * dials that are about to leave, and a worker that dies would lose more slots.
 */
const LEAD_MS = 125;
/** The latest that a dial leaves after the start of its slot [campaigns.10]. */
export const TOLERANCE_MS = 250;
/** A dial also leaves before the next slot begins, except in slots shorter than this: timers are too coarse for them. */
const MIN_SLOT_MS = 30;
/** Requests of one transaction. */
const BATCH = 100;
/** On a busy machine, slots are reserved further ahead by at most this, since a worker that dies loses them. */
const MAX_TOOK_MS = 3 * LEAD_MS;

export type DialerDeps = LoadDeps & {
  store: DialStore;
  transact: Transact;
  clock: Clock;
  owner: Owner;
  /** The calls that this worker carries, and how many it may carry. */
  liveCalls(): number;
  maxLiveCalls: number;
  dial(dials: readonly DueDial[]): void;
  /** A request waited this long for its slot. */
  onWaited(ms: number): void;
  /** A dial left this long after its slot, or was too late. */
  onDeparture(lateMs: number, hasLeft: boolean): void;
  dialWakeUp: WakeUp;
  lifecycle: Lifecycle;
};

/** A written call whose dial is about to leave. */
export type DueDial = { call: Call; assistant: PreparedAssistant; departure: Departure };

export type Departure = {
  /** Waits for the slot and runs `depart`, unless it is too late or the worker's lease has expired. Undefined: nothing left. */
  leave<T>(depart: () => T): Promise<T | undefined>;
  /** For steps after `leave` that take time: whether the request may not leave any more. */
  isTooLate(): boolean;
};

/** What a worker remembers between rounds. */
type Memory = {
  /** Duration of a round until its calls are committed: earlier slots cannot be met. */
  tookMs: number;
  /** A random number from 0 to 1, new in each round. */
  chance: number;
  /** Numbers whose requests had to wait although this worker had free capacity, least recently tried first. */
  stuck: Set<string>;
};

export function startDialer(deps: DialerDeps): void {
  const { clock, log, lifecycle, dialWakeUp } = deps;
  const memory: Memory = { tookMs: LEAD_MS / 2, chance: Math.random(), stuck: new Set() };
  let cancelWake = (): void => {};
  const loop = createJobLoop({
    name: 'dialer',
    everyMs: LEAD_MS,
    run: async () => {
      const { decided, wakeAtMs } = await dialRound(deps, memory);
      memory.chance = Math.random();
      cancelWake();
      const inMs = clock.toRealMs(wakeAtMs - clock.now().getTime()) - leadMs(deps, memory);
      if (inMs < LEAD_MS) cancelWake = realTimer(Math.max(0, inMs), loop.wake);
      return decided;
    },
    log,
    lifecycle,
  });
  lifecycle.onStop('next dial', () => cancelWake());
  lifecycle.onStop('dial wake-up', dialWakeUp.onWake(coalesce(LEAD_MS / 5, loop.wake)));
}

/**
 * How far ahead this worker reserves. Load and chance, each from 0 to 1, subtract up to half a lead each: the worker with the most
 * free capacity reserves first, and equally busy ones take turns. The duration of a slow round counts twice: a number that becomes due just
 * after a round began waits for its end, and its calls are committed at the end of the next one.
 */
function leadMs({ liveCalls, maxLiveCalls }: DialerDeps, { tookMs, chance }: Memory): number {
  return Math.max(LEAD_MS * (2 - (liveCalls() / maxLiveCalls + chance) / 2), 2 * tookMs);
}

const freeCalls = ({ liveCalls, maxLiveCalls }: DialerDeps): number =>
  Math.max(0, maxLiveCalls - liveCalls());

/** `realMs` from now, by the stack's clock. */
const after = ({ clock }: DialerDeps, realMs: number): Date =>
  new Date(clock.now().getTime() + realMs * clock.rate);

/** The slots that may be reserved now. Those that begin before their calls are committed could not be met. */
const spanFromNow = (deps: DialerDeps, { tookMs }: Memory): Span => ({
  begin: after(deps, tookMs),
  end: after(deps, tookMs + 3 * LEAD_MS),
});

/** A number is due if its next free slot begins by `dueBy`. */
type Near = { dueBy: Date; span: Span };
type Candidates = Near & { requests: readonly DialRequest[]; numbers: readonly AwaitedNumber[] };

/**
 * Whether the number's next free slot is near. It is not once another worker has reserved the next ones. A deleted or inactive number is
 * always due: its requests are refused, or wait.
 */
const isDue = (pace: NumberPace | null, { span, dueBy }: Near): boolean =>
  !pace?.isActive || nextSlotMs(pace, span) <= dueBy.getTime();

/** `decided`: there may be more to do. `wakeAtMs`: the next slot of a number that is not due yet. */
async function dialRound(deps: DialerDeps, memory: Memory): Promise<{ decided: boolean; wakeAtMs: number }> {
  // Calls of a worker whose lease has expired are taken over at once.
  if (!deps.owner.isLive() || freeCalls(deps) === 0) return { decided: false, wakeAtMs: Infinity };
  const beganMs = monotonicMs();
  const near = { dueBy: after(deps, leadMs(deps, memory)), span: spanFromNow(deps, memory) };
  const awaited = await deps.store.awaitedNumbers();
  const notDue = awaited.flatMap(({ pace }) => (pace && !isDue(pace, near) ? pace.nextSlotMs : []));
  const wakeAtMs = Math.min(...notDue);
  // Only a few stuck numbers are tried per round, with one request each, to keep the round short.
  const retried = new Set([...memory.stuck].slice(0, BATCH / 2));
  for (const id of retried) memory.stuck.delete(id);
  const numbers = awaited.filter((it) => isDue(it.pace, near) && !memory.stuck.has(it.phoneNumberId));
  if (numbers.length === 0) return { decided: false, wakeAtMs };

  const oldest = await deps.store.oldestRequests(
    numbers.map(({ phoneNumberId, pace }) => {
      const open = pace?.isActive ? openSlots(pace, near.span) : BATCH;
      const maxSingleCalls = Math.min(open, retried.has(phoneNumberId) ? 1 : BATCH);
      const maxOfCampaigns = pace?.probeAt ? Number(pace.probeAt <= near.span.end) : maxSingleCalls;
      return { phoneNumberId, maxSingleCalls, maxOfCampaigns };
    }),
    deps.unreachable.current(),
  );
  // The round ends with the first batch that decides: one workspace's many refused requests must not delay those of others.
  const requests = roundRobin(oldest);
  // Requests that must wait become the oldest: later ones are tried as well.
  for (let first = 0; first < requests.length; first += BATCH) {
    const batch = requests.slice(first, first + BATCH);
    if (!(await reserve(deps, memory, { ...near, requests: batch, numbers }))) continue;
    const tookMs = monotonicMs() - beganMs;
    // Rises at once, because earlier slots are missed. Falls slowly: one quick round does not make a busy machine a fast one.
    memory.tookMs = Math.min(Math.max(tookMs, (3 * memory.tookMs + tookMs) / 4), MAX_TOOK_MS);
    return { decided: true, wakeAtMs };
  }
  return { decided: false, wakeAtMs };
}

/** Decides on requests in one transaction, and opens the sessions of the calls. Returns whether it decided on any. */
async function reserve(deps: DialerDeps, memory: Memory, given: Candidates): Promise<boolean> {
  const { store, transact, clock, owner } = deps;
  const known = await loadDependencies(deps, given.requests);
  const { locked, written, refusals, postponed } = await transact(async (tx) => {
    const { numbers, locked } = await lock(deps, tx, given);
    if (locked.length === 0) return { locked, written: [], refusals: [], postponed: new Set<string>() };
    const facts = await store.gateFacts(tx, locked);
    const ofCampaigns = locked.filter(({ campaign }) => campaign).map(({ workspaceId }) => workspaceId);
    const now = clock.now();
    const remainingCalls = await countRemainingCalls(tx, ofCampaigns, known.limits, now);
    const limits = { ...spanFromNow(deps, memory), remainingCalls, freeCalls: freeCalls(deps) };
    const prepare = createPrepareDial(known, deps.log);
    const plan = planSlots(locked, { ...facts, ...known, ...limits, numbers, now, prepare });
    await store.advanceClocks(tx, plan.clocks);
    await writeProbes(tx, plan.probes);
    await writeRefusals(tx, plan.refusals, now);
    const written = await store.writeCalls(tx, owner.workerId, plan.dials, now);
    return { locked, written, refusals: plan.refusals, postponed: plan.postponed };
  });
  const decided = new Set([...written, ...refusals].map(({ request }) => request.phoneNumberId));
  const stuck = written.length < freeCalls(deps) ? locked : [];
  for (const { phoneNumberId } of stuck)
    if (!decided.has(phoneNumberId) && !postponed.has(phoneNumberId)) memory.stuck.add(phoneNumberId);
  for (const { request, slot } of written)
    deps.onWaited(clock.toRealMs(Math.max(0, slot.getTime() - request.requestedAt.getTime())));
  deps.dial(written.map((dial) => ({ ...dial, departure: departureOf(deps, dial) })));
  return decided.size > 0;
}

/** Locks the clocks of due numbers that no other worker has locked, and then their requests. */
async function lock({ store }: DialerDeps, tx: Tx, { requests, numbers: awaited, ...near }: Candidates) {
  const numbers = new Map<string, NumberPace | null>();
  for (const { phoneNumberId, pace } of awaited) if (!pace) numbers.set(phoneNumberId, null);
  const numberIds = [...new Set(requests.map(({ phoneNumberId }) => phoneNumberId))];
  for (const pace of await store.lockClocks(tx, numberIds))
    if (isDue(pace, near)) numbers.set(pace.phoneNumberId, pace);
  const mine = requests.filter(({ phoneNumberId }) => numbers.has(phoneNumberId));
  return { numbers, locked: mine.length > 0 ? await store.lockRequests(tx, mine) : [] };
}

export function departureOf(
  { clock, owner, onDeparture }: Pick<DialerDeps, 'clock' | 'owner' | 'onDeparture'>,
  { slot, intervalMs }: Pick<PlannedDial, 'slot' | 'intervalMs'>,
): Departure {
  const lateByClockMs = (): number => clock.toRealMs(clock.now().getTime() - slot.getTime());
  const dueMs = monotonicMs() - lateByClockMs();
  // The clock may be set at any time, and the monotonic one stands still while the machine sleeps.
  const sinceSlotMs = (): number => Math.max(monotonicMs() - dueMs, lateByClockMs());
  const slotMs = clock.toRealMs(intervalMs);
  const leavesAt = (lateMs: number): boolean =>
    lateMs <= TOLERANCE_MS && (lateMs < slotMs || slotMs < MIN_SLOT_MS) && owner.isLive();
  return {
    isTooLate: () => !leavesAt(sinceSlotMs()),
    leave: async (depart) => {
      let lateMs = sinceSlotMs();
      for (; lateMs < 0; lateMs = sinceSlotMs()) await clock.sleep(-lateMs * clock.rate);
      const isInTime = leavesAt(lateMs);
      const departed = isInTime ? depart() : undefined;
      // A stopped call neither leaves nor misses its slot.
      if (departed !== undefined || !isInTime) onDeparture(lateMs, isInTime);
      return departed;
    },
  };
}
