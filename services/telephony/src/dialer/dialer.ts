import { coalesce, createJobLoop, type WakeUp } from '@parley/kit/concurrency';
import type { Lifecycle } from '@parley/kit/lifecycle';
import { type Clock, monotonicMs, realTimer } from '@parley/kit/time';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Transact } from '../clients/ports.ts';
import { roomForCalls } from '../limits/room.ts';
import type { Tx } from '../prisma.ts';
import type { Call } from '../sessions/call.ts';
import type { Owner } from '../sessions/ports.ts';
import { type AskDeps, askOthers } from './ask-others.ts';
import { writeProbes } from './circuits.store.ts';
import { writeRefusals } from './dial-refusals.store.ts';
import type { DialRequest, NumberPace } from './dial-request.ts';
import type { AwaitedNumber, DialStore } from './dials.store.ts';
import { openSlots, planSlots, type Span } from './plan-slots.ts';

/*
 * The path of a dial, in the order of this file:
 *
 *   request     a row, written when a call is placed or a campaign requests a dial
 *   round       a worker with free capacity finds numbers with free slots, and their oldest requests
 *   reserve     one transaction locks the numbers' clocks and the requests, checks the gates (gates.ts), takes the next
 *               slots (plan-slots.ts) and writes the calls as `dialing`, owned by this worker
 *   departure   at its slot the dial leaves for the carrier. If that is too late, the call is undone and the request waits
 *               again; as the oldest it gets the next free slot
 *   outcome     the session reports it (../sessions). If the worker dies, another one asks the carrier: nothing is dialled
 *               twice
 *
 * All durations are in real time.
 */

/** A call is written this long before its slot, or up to twice as long: one transaction serves several slots. */
const LEAD_MS = 200;
/** A dial leaves at its slot or at most this much later [campaigns.10]. */
export const TOLERANCE_MS = 250;
/** How often the queue is polled for requests that no wake-up announced. */
const POLL_MS = 100;
/** Requests of one transaction. */
const BATCH = 100;

export type DialerDeps = AskDeps & {
  store: DialStore;
  transact: Transact;
  clock: Clock;
  owner: Owner;
  /** The calls that this worker carries, and how many it may carry. */
  liveCalls(): number;
  maxLiveCalls: number;
  dial(dials: readonly DueDial[]): void;
  /** A request waited this long for its slot; a dial left this long after it. */
  onWaited(ms: number): void;
  onLeft(ms: number): void;
  dialWakeUp: WakeUp;
  lifecycle: Lifecycle;
};

/** A written call whose dial is about to leave. */
export type DueDial = { call: Call; assistant: PreparedAssistant; departure: Departure };

export type Departure = {
  /** Waits for the slot and runs `depart`. Undefined: it is too late, or the worker's lease has expired. */
  leave<T>(depart: () => T): Promise<T | undefined>;
};

/** How long it takes to reserve slots: the busier the machine is, the further ahead they are. */
type Timing = { tookMs: number };
const MAX_TOOK_MS = TOLERANCE_MS / 2;

export function startDialer(deps: DialerDeps): void {
  const { clock, log, lifecycle, dialWakeUp } = deps;
  const timing: Timing = { tookMs: MAX_TOOK_MS };
  let cancelWake = (): void => {};
  const loop = createJobLoop({
    name: 'dialer',
    everyMs: POLL_MS,
    run: async () => {
      const { decided, nextSlotMs } = await dialRound(deps, timing);
      cancelWake();
      const inMs = clock.toRealMs(nextSlotMs - clock.now().getTime()) - leadMs(timing);
      if (inMs < POLL_MS) cancelWake = realTimer(Math.max(0, inMs) + delayMs(deps), () => loop.wake());
      return decided;
    },
    log,
    lifecycle,
  });
  lifecycle.onStop('next dial', () => cancelWake());
  lifecycle.onStop('dial wake-up', dialWakeUp.onWake(coalesce(POLL_MS / 4, loop.wake)));
}

const leadMs = ({ tookMs }: Timing): number => Math.max(LEAD_MS, 2 * tookMs);

/** The slots from now up to so many leads ahead. */
function spanOf({ clock }: DialerDeps, timing: Timing, leads: number): Span {
  const now = clock.now();
  return { now, until: new Date(now.getTime() + leads * leadMs(timing) * clock.rate) };
}

/** The worker with the most free capacity comes first; workers that are equally busy take turns by chance. */
function delayMs({ liveCalls, maxLiveCalls }: DialerDeps): number {
  return ((liveCalls() / maxLiveCalls + Math.random()) * LEAD_MS) / 2;
}

/** `decided`: there may be more to do. `nextSlotMs`: when the next slot begins, if none is open now; else infinite. */
type Round = { decided: boolean; nextSlotMs: number };

async function dialRound(deps: DialerDeps, timing: Timing): Promise<Round> {
  const { store, unreachable } = deps;
  const idle = { decided: false, nextSlotMs: Number.POSITIVE_INFINITY };
  // Calls of a worker whose lease has expired are taken over at once.
  if (!deps.owner.isLive() || freeCalls(deps) === 0) return idle;
  const numbers = await store.awaitedNumbers();
  const isDue = ({ pace }: AwaitedNumber): boolean =>
    !pace?.isActive || openSlots(pace, spanOf(deps, timing, 1)) > 0;
  if (!numbers.some(isDue))
    return { ...idle, nextSlotMs: Math.min(...numbers.map(({ pace }) => pace?.nextSlotMs ?? 0)) };

  const span = spanOf(deps, timing, 2);
  const requests = await store.oldestRequests(
    numbers.flatMap(({ phoneNumberId, pace }) => {
      // Requests of a deleted or inactive number are refused, or wait.
      const slots = Math.min(pace?.isActive ? openSlots(pace, span) : BATCH, BATCH);
      const ofCampaigns = pace?.probeAt ? Number(pace.probeAt <= span.until) : slots;
      return slots > 0 ? [{ phoneNumberId, single: slots, ofCampaigns }] : [];
    }),
    unreachable.current(),
  );
  // Requests that must wait become the oldest: later ones are tried as well.
  for (let first = 0; first < requests.length; first += BATCH) {
    const batch = requests.slice(first, first + BATCH);
    if (await reserve(deps, timing, { requests: batch, numbers })) return { ...idle, decided: true };
  }
  return idle;
}

function freeCalls({ liveCalls, maxLiveCalls }: DialerDeps): number {
  return Math.max(0, maxLiveCalls - liveCalls());
}

type Candidates = { requests: readonly DialRequest[]; numbers: readonly AwaitedNumber[] };

/** Decides on requests in one transaction, and opens the sessions of the calls. Returns whether it decided on any. */
async function reserve(deps: DialerDeps, timing: Timing, candidates: Candidates): Promise<boolean> {
  const { store, transact, clock, owner } = deps;
  const known = await askOthers(deps, candidates.requests);
  const { written, refusals, tookMs } = await transact(async (tx) => {
    const { numbers, held } = await lock(deps, timing, tx, candidates);
    if (held.length === 0) return { written: [], refusals: [], tookMs: timing.tookMs };
    const facts = await store.gateFacts(tx, held);
    const ofCampaigns = held.filter(({ campaign }) => campaign).map(({ workspaceId }) => workspaceId);
    const room = await roomForCalls(tx, ofCampaigns, known.limits, clock.now());
    const span = spanOf(deps, timing, 2);
    const beganMs = monotonicMs();
    const plan = planSlots(held, { ...facts, ...known, ...span, numbers, room, freeCalls: freeCalls(deps) });
    await store.advanceClocks(tx, plan.clocks);
    await writeProbes(tx, plan.probes);
    await writeRefusals(tx, plan.refusals, span.now);
    const written = await store.writeCalls(tx, owner.workerId, plan.dials, known, span.now);
    return { written, refusals: plan.refusals, tookMs: monotonicMs() - beganMs };
  });
  timing.tookMs = Math.min(Math.max(tookMs, (timing.tookMs + tookMs) / 2), MAX_TOOK_MS);
  for (const { request, slot } of written)
    deps.onWaited(clock.toRealMs(Math.max(0, slot.getTime() - request.requestedAt.getTime())));
  deps.dial(written.map(({ slot, ...dial }) => ({ ...dial, departure: departureOf(deps, slot) })));
  return written.length + refusals.length > 0;
}

/** Locks the clocks with open slots that no other worker has locked, and then their requests. */
async function lock(
  deps: DialerDeps,
  timing: Timing,
  tx: Tx,
  { requests, numbers }: Candidates,
): Promise<{ numbers: Map<string, NumberPace | null>; held: DialRequest[] }> {
  const locked = new Map<string, NumberPace | null>();
  for (const { phoneNumberId, pace } of numbers) if (!pace) locked.set(phoneNumberId, null);
  const numberIds = [...new Set(requests.map(({ phoneNumberId }) => phoneNumberId))];
  for (const pace of await deps.store.lockClocks(tx, numberIds)) {
    const isOpen = !pace.isActive || openSlots(pace, spanOf(deps, timing, 2)) > 0;
    if (isOpen) locked.set(pace.phoneNumberId, pace);
  }
  const mine = requests.filter(({ phoneNumberId }) => locked.has(phoneNumberId));
  return { numbers: locked, held: mine.length > 0 ? await deps.store.lockRequests(tx, mine) : [] };
}

export function departureOf(
  { clock, owner, onLeft }: Pick<DialerDeps, 'clock' | 'owner' | 'onLeft'>,
  slot: Date,
): Departure {
  const sinceSlotMs = (): number => clock.toRealMs(clock.now().getTime() - slot.getTime());
  return {
    leave: async (depart) => {
      for (let lateMs = sinceSlotMs(); lateMs < 0; lateMs = sinceSlotMs())
        await clock.sleep(-lateMs * clock.rate);
      const lateMs = sinceSlotMs();
      if (lateMs > TOLERANCE_MS || !owner.isLive()) return undefined;
      onLeft(lateMs);
      return depart();
    },
  };
}
