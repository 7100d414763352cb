import { coalesce, createJobLoop, type WakeUp } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type Clock, monotonicMs, realTimer } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Transact } from '../clients/ports.ts';
import { countRemainingCalls } from '../limits/remaining-calls.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { Owner } from '../sessions/ports.ts';
import { BATCH, chooseNumbers, type DueWithin, isDue, wantedOf } from './choose-numbers.ts';
import { writeProbes } from './circuits.store.ts';
import { writeRefusals } from './dial-refusals.store.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import type { AwaitedNumber, DialStore } from './dials.store.ts';
import { type Known, type LoadDeps, loadDependencies } from './load-dependencies.ts';
import { type PlannedDial, planSlots, roundRobin, type Span } from './plan-slots.ts';
import { createPrepareDial } from './prepare-dial.ts';
import type { WrittenDial } from './write-dials.store.ts';

/*
 * The path of a dial, in the order of this file. All durations are in real time.
 *
 *   request     a row, written when a call is placed or a campaign requests a dial (dial-requests.store.ts)
 *   round       a worker with free capacity finds numbers whose next free slot is near (choose-numbers.ts), and their oldest requests
 *   reserve     one transaction locks the numbers' clocks and the requests, checks the gates (gates.ts), takes the next
 *               slots (plan-slots.ts) and writes the calls as `dialing`, owned by this worker (write-dials.store.ts)
 *   departure   at its slot the dial leaves for the carrier (../sessions/outbound-leg.ts). If that is too late, the call is
 *               undone (undo-dials.store.ts) and the request waits again; as the oldest it gets the next free slot
 *   outcome     the session reports it (../sessions/session.ts). If the worker dies, another one asks the carrier first
 */

/**
 * When a number's next free slot is one to two of these intervals away, a worker reserves the slots of the next three.
 * With a shorter interval, calls would be committed too late for their slots. With a longer one, a pause would wait longer for the
 * dials that are about to leave, and a worker that dies would lose more slots.
 */
const POLL_EVERY_MS = 125;
/** The latest that a dial leaves after the start of its slot [campaigns.10]. */
export const TOLERANCE_MS = 250;
/** A dial also leaves before the next slot begins, except in slots shorter than this: timers are too coarse for them. */
const MIN_SLOT_MS = 30;
/** On a busy machine, slots are reserved further ahead by at most this, since a worker that dies loses them. */
const MAX_TOOK_MS = 3 * POLL_EVERY_MS;

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
  const memory: Memory = { tookMs: POLL_EVERY_MS / 2, chance: Math.random(), stuck: new Set() };
  let cancelWake = (): void => {};
  const loop = createJobLoop({
    name: 'dialer',
    everyMs: POLL_EVERY_MS,
    run: async () => {
      const { mayHaveMore, wakeAtMs } = await dialRound(deps, memory);
      memory.chance = Math.random();
      cancelWake();
      const inMs = clock.toRealMs(wakeAtMs - clock.now().getTime()) - reserveAheadMs(deps, memory);
      if (inMs < POLL_EVERY_MS) cancelWake = realTimer(Math.max(0, inMs), loop.wake);
      return mayHaveMore;
    },
    log,
    lifecycle,
  });
  lifecycle.onStop('next dial', () => cancelWake());
  lifecycle.onStop('dial wake-up', dialWakeUp.onWake(coalesce(POLL_EVERY_MS / 5, loop.wake)));
}

/**
 * How far ahead this worker reserves. Load and chance, each from 0 to 1, subtract up to half an interval each: the worker with the most
 * free capacity reserves first, and equally busy ones take turns. The duration of a slow round counts twice: a number that becomes due just
 * after a round began waits for its end, and its calls are committed at the end of the next one.
 */
function reserveAheadMs({ liveCalls, maxLiveCalls }: DialerDeps, { tookMs, chance }: Memory): number {
  return Math.max(POLL_EVERY_MS * (2 - (liveCalls() / maxLiveCalls + chance) / 2), 2 * tookMs);
}

const freeCalls = ({ liveCalls, maxLiveCalls }: DialerDeps): number =>
  Math.max(0, maxLiveCalls - liveCalls());

/** `realMs` from now, by the stack's clock. */
const after = ({ clock }: DialerDeps, realMs: number): Date =>
  new Date(clock.now().getTime() + realMs * clock.rate);

/** The slots that may be reserved now. Those that begin before their calls are committed could not be met. */
const spanFromNow = (deps: DialerDeps, { tookMs }: Memory): Span => ({
  begin: after(deps, tookMs),
  end: after(deps, tookMs + 3 * POLL_EVERY_MS),
});

type Candidates = DueWithin & { requests: readonly DialRequest[]; numbers: readonly AwaitedNumber[] };

/** `wakeAtMs`: the next slot of a number that is not due yet. */
async function dialRound(
  deps: DialerDeps,
  memory: Memory,
): Promise<{ mayHaveMore: boolean; wakeAtMs: number }> {
  // Calls of a worker whose lease has expired are taken over at once.
  if (!deps.owner.isLive() || freeCalls(deps) === 0) return { mayHaveMore: false, wakeAtMs: Infinity };
  const beganMs = monotonicMs();
  const within = { dueBy: after(deps, reserveAheadMs(deps, memory)), span: spanFromNow(deps, memory) };
  const { numbers, retried, wakeAtMs } = chooseNumbers(
    await deps.store.awaitedNumbers(),
    within,
    memory.stuck,
  );
  for (const id of retried) memory.stuck.delete(id);
  if (numbers.length === 0) return { mayHaveMore: false, wakeAtMs };

  const oldest = await deps.store.oldestRequests(
    numbers.map((number) => wantedOf(number, within.span, retried.has(number.phoneNumberId))),
    deps.unreachable.current(),
  );
  const decided = await reserveFirst(deps, memory, { ...within, requests: roundRobin(oldest), numbers });
  if (decided) memory.tookMs = nextTookMs(memory.tookMs, monotonicMs() - beganMs);
  return { mayHaveMore: decided, wakeAtMs };
}

/** Rises at once, because earlier slots are missed. Falls slowly: one quick round does not make a busy machine a fast one. */
const nextTookMs = (before: number, now: number): number =>
  Math.min(Math.max(now, (3 * before + now) / 4), MAX_TOOK_MS);

/**
 * Tries the batches in order, until one decides on a request. A batch whose requests all have to wait is skipped, since it stays the oldest
 * and would hold up the others. Those after the one that decides are left to the next round: one workspace's many refused requests
 * must not delay those of others.
 */
async function reserveFirst(
  deps: DialerDeps,
  memory: Memory,
  { requests, ...of }: Candidates,
): Promise<boolean> {
  for (let first = 0; first < requests.length; first += BATCH)
    if (await reserve(deps, memory, { ...of, requests: requests.slice(first, first + BATCH) })) return true;
  return false;
}

/** Decides on requests, and opens the sessions of the calls. Returns whether it decided on any. */
async function reserve(deps: DialerDeps, memory: Memory, given: Candidates): Promise<boolean> {
  // Before anything is locked: it may wait for other services.
  const known = await loadDependencies(deps, given.requests);
  const { locked, written, refusals, postponed } = await deps.transact((tx) =>
    decide(deps, memory, tx, { ...given, known }),
  );
  const decided = new Set([...written, ...refusals].map(({ request }) => request.phoneNumberId));
  // If this round used up the capacity, the others may have waited only for that: not stuck.
  const stuck = written.length < freeCalls(deps) ? locked : [];
  for (const { phoneNumberId } of stuck)
    if (!decided.has(phoneNumberId) && !postponed.has(phoneNumberId)) memory.stuck.add(phoneNumberId);
  startDials(deps, written);
  return decided.size > 0;
}

/**
 * One transaction: slots, probes, refusals and calls are written together. The gates are read after the requests are locked, so that a
 * withdrawal (pause or cancel) that begins meanwhile waits for the commit and then finds the calls.
 */
async function decide(deps: DialerDeps, memory: Memory, tx: Tx, given: Candidates & { known: Known }) {
  const { store, clock, owner, log } = deps;
  const { known } = given;
  const { numbers, locked } = await lock(deps, tx, given);
  if (locked.length === 0) return { locked, written: [], refusals: [], postponed: new Set<string>() };
  const facts = await store.gateFacts(tx, locked);
  const ofCampaigns = locked.filter(({ campaign }) => campaign).map(({ workspaceId }) => workspaceId);
  const now = clock.now();
  const remainingCalls = await countRemainingCalls(tx, ofCampaigns, known.limits, now);
  const limits = { ...spanFromNow(deps, memory), remainingCalls, freeCalls: freeCalls(deps) };
  const prepare = createPrepareDial(known, log);
  const plan = planSlots(locked, { ...facts, ...known, ...limits, numbers, now, prepare });
  await store.advanceClocks(tx, plan.clocks);
  await writeProbes(tx, plan.probes);
  await writeRefusals(tx, plan.refusals, now);
  const written = await store.writeDials(tx, owner.workerId, plan.dials, now);
  return { locked, written, refusals: plan.refusals, postponed: plan.postponed };
}

/** After the commit: what did not commit must not leave. */
function startDials(deps: DialerDeps, written: readonly WrittenDial[]): void {
  for (const { request, slot } of written)
    deps.onWaited(deps.clock.toRealMs(Math.max(0, slot.getTime() - request.requestedAt.getTime())));
  deps.dial(written.map((dial) => ({ ...dial, departure: departureOf(deps, dial) })));
}

/** Locks the clocks of due numbers that no other worker has locked, and then their requests. */
async function lock({ store }: DialerDeps, tx: Tx, { requests, numbers: awaited, ...within }: Candidates) {
  const numbers = new Map<string, NumberPace | null>();
  for (const { phoneNumberId, pace } of awaited) if (!pace) numbers.set(phoneNumberId, null);
  const numberIds = [...new Set(requests.map(({ phoneNumberId }) => phoneNumberId))];
  for (const pace of await store.lockClocks(tx, numberIds))
    if (isDue(pace, within)) numbers.set(pace.phoneNumberId, pace);
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
