import { backoffMs } from '@parley/kit/concurrency';
import { realSleep } from '@parley/kit/time';
import type { Departure } from '../dialer/departures.ts';
import type { Call, CallPhase } from './call.ts';
import type { EventQueue, OwnEndCause } from './event-queue.ts';
import type { Obstacle } from './judge-end.ts';
import type { Leg } from './leg.ts';
import type { Entry, Owner } from './ports.ts';

/** How often the carrier is asked about a dial whose answer was lost, and how long beyond the ring time (stack ms). */
const RESOLVE_EVERY_MS = 2_000;
const RESOLVE_BEYOND_RING_MS = 30_000;
/** A dial that is later than this never leaves: well before another worker may have resolved it (stack ms). */
const MAX_LATE_BEYOND_RING_MS = RESOLVE_BEYOND_RING_MS / 2;
/** The recorded start moves by no less (stack ms): other workers resolve the call by it, and each move is a write. */
const MIN_POSTPONEMENT_MS = 1_000;
/** A leg that outlives its session: no other worker would hang it up. */
const HANGUP_TRIES = 8;

const RINGING: readonly CallPhase[] = ['dialing', 'ringing'];

export type OutboundLeg = {
  /** Dials once; a dial is never repeated. Resolves when the carrier has answered or the dial did not leave. */
  originate(departure: Departure): Promise<void>;
  /** An unknown dial: asks the carrier until it is known or the time is up. */
  resolve(): void;
  /** Hangs up at the end of the ring time. `isFound`: the carrier has the leg, whatever the state of the call. */
  ringUntilTimeout(isFound?: boolean): void;
};

type Options = {
  queue: EventQueue;
  leg: Leg;
  owner: Owner;
  obstacleTo: (call: Call) => Promise<Obstacle | null>;
  record: readonly Entry[];
  ringTimeoutMs: () => number;
  isStopping: () => boolean;
  isHangingUp: () => boolean;
  hangUp: (cause: OwnEndCause) => void;
};

type Departed = { asked: Promise<unknown> } | { end: OwnEndCause | Obstacle };

export function createOutboundLeg(options: Options): OutboundLeg {
  const { queue, leg, owner, obstacleTo, record, ringTimeoutMs, isStopping, isHangingUp, hangUp } = options;
  const { life, log, clock, call, sinceMs, post, postEnd } = queue;

  const ringFor = (leftMs: number, isFound = false): void => {
    life.after(leftMs, () => {
      const { phase } = call().state;
      const isRinging = RINGING.includes(phase) || (isFound && phase === 'unknown');
      // An answered call is not cut off because a slow database has not recorded the answer yet.
      if (isRinging && !leg.isAnswered()) hangUp('local');
    });
  };

  const ringUntilTimeout: OutboundLeg['ringUntilTimeout'] = (isFound) =>
    ringFor(ringTimeoutMs() - sinceMs(call().state.startedAt), isFound);

  /** Sends the request to the carrier, with nothing in between: unless it is no longer wanted, or not ours to send. */
  const depart = (): Departed => {
    if (isStopping()) return { end: 'stopped' };
    const { workspaceId, fromNumber, toNumber, state } = call();
    // This process stood still. A worker that took the call over may have resolved it: the leg would belong to no call, and
    // a retry of its contact would be a second dial. If none did, it is resolved now: what has not left never will.
    const isLate = sinceMs(state.startedAt) >= ringTimeoutMs() + MAX_LATE_BEYOND_RING_MS;
    if (isLate || !owner.isLive()) return { end: 'unsettled' };
    const at = clock.now();
    const asked = leg.originate({ workspaceId, from: fromNumber ?? '', to: toNumber ?? '' });
    asked.catch(() => {});
    void post({ type: 'departed', at });
    // From now, not from the slot: with a fast clock the moment between them is half a ring.
    ringFor(ringTimeoutMs());
    return { asked };
  };

  /** Undefined: the session is over. */
  const untilItLeaves = async (departure: Departure): Promise<Departed | undefined> => {
    for (;;) {
      await departure.isNear();
      // Since the grant the campaign may have been paused, the callee put on the do-not-call list [calls.3], or the number
      // deleted.
      const obstacle = await life.insist('check for obstacles', () => obstacleTo(call()));
      if (obstacle === undefined) return undefined;
      if (obstacle) return { end: obstacle };
      const leaving = await life.insist('leave', () => departure.leave(depart));
      if (!leaving || 'departed' in leaving) return leaving?.departed;
      if (isStopping()) return { end: 'stopped' };
      const { postponedTo } = leaving;
      const recordedMs = call().state.startedAt?.getTime() ?? 0;
      if (postponedTo.getTime() - recordedMs >= MIN_POSTPONEMENT_MS)
        await post({ type: 'postponed', at: postponedTo });
    }
  };

  /** A hang-up that was requested before the leg existed had nothing to hang up. */
  const hangUpLate = async (): Promise<void> => {
    if (!isHangingUp()) return;
    log.warn('hanging up a leg that the carrier created after the call had to end');
    await withRetries(leg.hangup);
    if (life.signal.aborted) leg.detach();
  };

  const resolve = (): void => {
    const { state } = call();
    if (state.phase !== 'dialing' && state.phase !== 'unknown') return;
    const leftMs = ringTimeoutMs() + RESOLVE_BEYOND_RING_MS - sinceMs(state.startedAt);
    // Should there be a leg after all, it must not ring on.
    if (leftMs <= 0) {
      hangUp('unsettled');
      return;
    }
    void life
      .insist('attach the leg', () => leg.attach(record))
      .then((found) => {
        if (!found) life.after(Math.min(RESOLVE_EVERY_MS, leftMs), resolve);
        // The ring time may have passed while the leg was unknown.
        else ringUntilTimeout(true);
      });
  };

  return {
    resolve,
    ringUntilTimeout,
    originate: async (departure) => {
      const left = await untilItLeaves(departure);
      if (!left) return;
      if ('end' in left) return postEnd(left.end);
      try {
        await left.asked;
      } catch (err) {
        log.warn({ err }, 'the answer of the carrier was lost');
        await post({ type: 'answer_lost' });
        life.after(RESOLVE_EVERY_MS, resolve);
      }
      await hangUpLate().catch((err: unknown) => log.error({ err }, 'a late leg could not be hung up'));
    },
  };
}

async function withRetries(act: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await act();
    } catch (err) {
      if (failures >= HANGUP_TRIES) throw err;
      await realSleep(backoffMs(failures));
    }
  }
}
