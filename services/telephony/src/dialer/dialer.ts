import { coalesce, createJobLoop, type WakeUp } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type Clock, monotonicMs, realTimer } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Transact } from '../clients/ports.ts';
import { roomForCalls } from '../limits/room.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { Owner } from '../sessions/ports.ts';
import { writeProbes } from './circuits.store.ts';
import { writeRefusals } from './dial-refusals.store.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import type { AwaitedNumber, DialStore } from './dials.store.ts';
import { type LoadDeps, loadDependencies } from './load-dependencies.ts';
import { openSlots, type PlannedDial, planSlots, type Span } from './plan-slots.ts';

/*
 * The path of a dial, in the order of this file:
 *
 *   request     a row, written when a call is placed or a campaign requests a dial
 *   round       a worker with free capacity finds numbers whose next free slot is near, and their oldest requests
 *   reserve     one transaction locks the numbers' clocks and the requests, checks the gates (gates.ts), takes the next
 *               slots (plan-slots.ts) and writes the calls as `dialing`, owned by this worker
 *   departure   at its slot the dial leaves for the carrier. If that is too late, the call is undone and the request waits
 *               again; as the oldest it gets the next free slot
 *   outcome     the session reports it (../sessions). If the worker dies, another one asks the carrier: nothing is dialled
 *               twice
 *
 * All durations are in real time.
 */

/** A worker reserves when a number's next free slot is one to two leads away, the slots of up to three leads, and polls every lead. */
const LEAD_MS = 125;
/** The latest that a dial leaves after the start of its slot [campaigns.10]. */
export const TOLERANCE_MS = 250;
/** A dial also leaves before the next slot begins, except in slots shorter than this: timers are too coarse for them. */
const MIN_SLOT_MS = 30;
/** Requests of one transaction. */
const BATCH = 100;
/** On a busy machine, the most that slots are reserved further ahead: a worker that dies loses them. */
const MAX_TOOK_MS = 375;

export type DialerDeps = LoadDeps & {
  store: DialStore;
  transact: Transact;
  clock: Clock;
  owner: Owner;
  /** The calls that this worker carries, and how many it may carry. */
  liveCalls(): number;
  maxLiveCalls: number;
  dial(dials: readonly DueDial[]): void;
  /** A request waited this long for its slot; a dial leaves this long after it, or is too late. */
  onWaited(ms: number): void;
  onDeparture(lateMs: number, leaves: boolean): void;
  dialWakeUp: WakeUp;
  lifecycle: Lifecycle;
};

/** A written call whose dial is about to leave. */
export type DueDial = { call: Call; assistant: PreparedAssistant; departure: Departure };

export type Departure = {
  /** Waits for the slot and runs `depart`. Undefined: it is too late, or the worker's lease has expired. */
  leave<T>(depart: () => T): Promise<T | undefined>;
};

/** What a worker remembers between rounds. */
type Memory = {
  /** Duration of a round until its calls are committed: earlier slots cannot be met. */
  tookMs: number;
  /** A random number from 0 to 1, new in each round. */
  chance: number;
  /** Numbers whose requests had to wait, least recently tried first. */
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
      const { decided, nextSlotMs } = await dialRound(deps, memory);
      memory.chance = Math.random();
      cancelWake();
      const inMs = clock.toRealMs(nextSlotMs - clock.now().getTime()) - leadMs(deps, memory);
      if (inMs < LEAD_MS) cancelWake = realTimer(Math.max(0, inMs), loop.wake);
      return decided;
    },
    log,
    lifecycle,
  });
  lifecycle.onStop('next dial', () => cancelWake());
  lifecycle.onStop('dial wake-up', dialWakeUp.onWake(coalesce(LEAD_MS / 5, loop.wake)));
}

/** How far ahead this worker reserves: the one with the most free capacity first, equally busy ones in turn by chance. */
function leadMs({ liveCalls, maxLiveCalls }: DialerDeps, { tookMs, chance }: Memory): number {
  return Math.max(LEAD_MS * (2 - (liveCalls() / maxLiveCalls + chance) / 2), 2 * tookMs);
}

function freeCalls({ liveCalls, maxLiveCalls }: DialerDeps): number {
  return Math.max(0, maxLiveCalls - liveCalls());
}

/** `realMs` from now, by the stack's clock. */
const after = ({ clock }: DialerDeps, realMs: number): Date =>
  new Date(clock.now().getTime() + realMs * clock.rate);

/** The slots that may be reserved now. Those that begin before their calls are committed could not be met. */
const spanFromNow = (deps: DialerDeps, { tookMs }: Memory): Span => ({
  begin: after(deps, tookMs),
  end: after(deps, tookMs + 3 * LEAD_MS),
});

/** Once another worker has reserved for a number, it is not due. Requests of a deleted or inactive one are refused, or wait. */
const isDue = (pace: NumberPace | null, dueBy: Date): boolean =>
  !pace?.isActive || pace.nextSlotMs <= dueBy.getTime();

/** `decided`: there may be more to do. `nextSlotMs`: the next slot of a number that is not due yet. */
type Outcome = { decided: boolean; nextSlotMs: number };

async function dialRound(deps: DialerDeps, memory: Memory): Promise<Outcome> {
  const { store, unreachable } = deps;
  // Calls of a worker whose lease has expired are taken over at once.
  if (!deps.owner.isLive() || freeCalls(deps) === 0) return { decided: false, nextSlotMs: Infinity };
  const beganMs = monotonicMs();
  const [dueBy, span] = [after(deps, leadMs(deps, memory)), spanFromNow(deps, memory)];
  const awaited = await store.awaitedNumbers();
  const nextSlotMs = Math.min(
    ...awaited.flatMap(({ pace }) => (pace && !isDue(pace, dueBy) ? pace.nextSlotMs : [])),
  );
  // Only a few stuck numbers are tried per round, with one request each, to keep the round short.
  const retried = new Set([...memory.stuck].slice(0, BATCH / 2));
  for (const id of retried) memory.stuck.delete(id);
  const numbers = awaited.filter((it) => isDue(it.pace, dueBy) && !memory.stuck.has(it.phoneNumberId));
  if (numbers.length === 0) return { decided: false, nextSlotMs };

  const requests = await store.oldestRequests(
    numbers.map(({ phoneNumberId, pace }) => {
      const open = pace?.isActive ? openSlots(pace, span) : BATCH;
      const single = Math.min(open, retried.has(phoneNumberId) ? 1 : BATCH);
      const ofCampaigns = pace?.probeAt ? Number(pace.probeAt <= span.end) : single;
      return { phoneNumberId, single, ofCampaigns };
    }),
    unreachable.current(),
  );
  // Requests that must wait become the oldest: later ones are tried as well.
  for (let first = 0; first < requests.length; first += BATCH) {
    const batch = requests.slice(first, first + BATCH);
    if (!(await reserve(deps, memory, { dueBy, requests: batch, numbers }))) continue;
    const tookMs = monotonicMs() - beganMs;
    memory.tookMs = Math.min(Math.max(tookMs, (3 * memory.tookMs + tookMs) / 4), MAX_TOOK_MS);
    return { decided: true, nextSlotMs };
  }
  return { decided: false, nextSlotMs };
}

type Candidates = { dueBy: Date; requests: readonly DialRequest[]; numbers: readonly AwaitedNumber[] };

/** Decides on requests in one transaction, and opens the sessions of the calls. Returns whether it decided on any. */
async function reserve(deps: DialerDeps, memory: Memory, given: Candidates): Promise<boolean> {
  const { store, transact, clock, owner } = deps;
  const known = await loadDependencies(deps, given.requests);
  const { held, written, refusals } = await transact(async (tx) => {
    const { numbers, held } = await lock(deps, tx, given);
    if (held.length === 0) return { held, written: [], refusals: [] };
    const facts = await store.gateFacts(tx, held);
    const ofCampaigns = held.filter(({ campaign }) => campaign).map(({ workspaceId }) => workspaceId);
    const now = clock.now();
    const room = await roomForCalls(tx, ofCampaigns, known.limits, now);
    const capacity = { room, freeCalls: freeCalls(deps) };
    const span = spanFromNow(deps, memory);
    const plan = planSlots(held, { ...facts, ...known, ...capacity, ...span, numbers, now });
    await store.advanceClocks(tx, plan.clocks);
    await writeProbes(tx, plan.probes);
    await writeRefusals(tx, plan.refusals, now);
    const written = await store.writeCalls(tx, owner.workerId, plan.dials, known, now);
    return { held, written, refusals: plan.refusals };
  });
  const decided = new Set([...written, ...refusals].map(({ request }) => request.phoneNumberId));
  for (const { phoneNumberId } of held) if (!decided.has(phoneNumberId)) memory.stuck.add(phoneNumberId);
  for (const { request, slot } of written)
    deps.onWaited(clock.toRealMs(Math.max(0, slot.getTime() - request.requestedAt.getTime())));
  deps.dial(written.map((dial) => ({ ...dial, departure: departureOf(deps, dial) })));
  return decided.size > 0;
}

/** Locks the clocks of due numbers that no other worker has locked, and then their requests. */
async function lock({ store }: DialerDeps, tx: Tx, { dueBy, requests, numbers }: Candidates) {
  const locked = new Map<string, NumberPace | null>();
  for (const { phoneNumberId, pace } of numbers) if (!pace) locked.set(phoneNumberId, null);
  const numberIds = [...new Set(requests.map(({ phoneNumberId }) => phoneNumberId))];
  for (const pace of await store.lockClocks(tx, numberIds))
    if (isDue(pace, dueBy)) locked.set(pace.phoneNumberId, pace);
  const mine = requests.filter(({ phoneNumberId }) => locked.has(phoneNumberId));
  return { numbers: locked, held: mine.length > 0 ? await store.lockRequests(tx, mine) : [] };
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
  return {
    leave: async (depart) => {
      for (let lateMs = sinceSlotMs(); lateMs < 0; lateMs = sinceSlotMs())
        await clock.sleep(-lateMs * clock.rate);
      const lateMs = sinceSlotMs();
      const isSlotOver = lateMs >= slotMs && slotMs >= MIN_SLOT_MS;
      const leaves = !isSlotOver && lateMs <= TOLERANCE_MS && owner.isLive();
      onDeparture(lateMs, leaves);
      return leaves ? depart() : undefined;
    },
  };
}
