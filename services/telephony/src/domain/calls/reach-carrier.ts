import { backOffMs } from '@parley/kit/jobs';
import { realSleep } from '@parley/kit/time';
import type { Departure } from '../dialing/departures.ts';
import type { CallPhase } from './call.ts';
import { type CallParts, progressOf, sinceMs, type WhyWeEnd } from './call-parts.ts';
import type { Obstacle } from './judge-end.ts';

/** How often the carrier is asked about a dial whose answer was lost, and how long beyond the ring time (stack ms). */
const SETTLE_EVERY_MS = 2_000;
const SETTLE_BEYOND_RING_MS = 30_000;
/** A dial that is later than this never leaves: well before others may have settled it (stack ms). */
const LATE_BEYOND_RING_MS = SETTLE_BEYOND_RING_MS / 2;
/** The start on record is moved by no less (stack ms): it's what others would settle the call by, and costs a write. */
const MOVES_BY_MS = 1_000;
/** A carrier that can't be asked to hang up: beyond the session there is nobody who could go on asking for ever. */
const HANGUP_TRIES = 8;

/** Asks the carrier for the leg, once and never again (architecture: A call's life 3). */
export async function originateLeg(parts: CallParts, departure: Departure): Promise<void> {
  const { deps, life, log, call, isHangingUp, post, postEnd } = parts;
  const left = await untilItLeaves(parts, departure);
  if (!left) return;
  if ('end' in left) return postEnd(left.end);
  const { id: reference } = call();
  const hangUpLate = async (): Promise<void> => {
    if (!isHangingUp()) return;
    log.warn('the carrier took its time: a leg that nobody wants any more is hung up');
    await insistALittle(() => deps.carrier.hangup(reference));
    if (life.signal.aborted) deps.carrier.detach(reference);
  };
  try {
    await left.asked;
  } catch (err) {
    log.warn({ err }, 'the answer of the carrier was lost');
    await post({ type: 'answer_lost' });
    life.after(SETTLE_EVERY_MS, () => settleDial(parts));
  }
  // Whoever hung up before there was a leg had nothing to hang up.
  await hangUpLate().catch((err: unknown) =>
    log.error({ err }, 'a leg that nobody wants could not be hung up'),
  );
}

type Left = { asked: Promise<unknown> } | { end: WhyWeEnd | Obstacle };

/** Undefined: the session is over. */
async function untilItLeaves(parts: CallParts, departure: Departure): Promise<Left | undefined> {
  const { deps, life, call, post } = parts;
  for (;;) {
    await departure.isNear();
    // Between the grant and now the campaign may have been paused (D7.1), the number put on the do-not-call list (D6.10),
    // or ours deleted.
    const obstacle = await life.insist('ask what stands in the way', () => deps.obstacleTo(call()));
    if (obstacle === undefined) return undefined;
    if (obstacle) return { end: obstacle };
    const leaving = await life.insist('leave', () => departure.leave(() => depart(parts)));
    if (!leaving || 'departed' in leaving) return leaving?.departed;
    // Nobody has dialled who was stopped before that.
    if (parts.isStopping()) return { end: 'stopped' };
    const { postponedTo } = leaving;
    const recordedMs = call().state.startedAt?.getTime() ?? 0;
    if (postponedTo.getTime() - recordedMs >= MOVES_BY_MS) await post({ type: 'postponed', at: postponedTo });
  }
}

/** Sends the request to the carrier, with nothing in between: unless nobody wants it any more, or this process may not. */
function depart(parts: CallParts): Left {
  const { deps, assistant, call, isStopping, post } = parts;
  const { id: reference, workspaceId, fromNumber, toNumber, state } = call();
  if (isStopping()) return { end: 'stopped' };
  // This process stood still. Whoever has taken the call over may have settled it: a leg would be nobody's, and a retry
  // of its contact a second dial. If nobody has, it's settled now: what hasn't left never will.
  const { ringTimeout } = assistant.config.settings;
  const isLate = sinceMs(parts, state.startedAt) >= ringTimeout + LATE_BEYOND_RING_MS;
  if (isLate || !deps.owner.isLive()) return { end: 'unsettled' };
  const at = deps.clock.now();
  const asked = deps.carrier.originate({
    reference,
    workspaceId,
    from: fromNumber ?? '',
    to: toNumber ?? '',
  });
  asked.catch(() => {});
  void post({ type: 'departed', at });
  // From now on, not from its slot: where the clock is fast, a moment between the two is half a ring.
  ringFor(parts, ringTimeout);
  return { asked };
}

async function insistALittle(act: () => Promise<void>): Promise<void> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await act();
    } catch (err) {
      if (failures >= HANGUP_TRIES) throw err;
      await realSleep(backOffMs(failures));
    }
  }
}

const RINGING: readonly CallPhase[] = ['dialing', 'ringing'];

/** Rings as long as the assistant lets it (D3.3: ringTimeout). `isFound`: there is a leg, whatever the call knows of it. */
export function ringUntilTimeout(parts: CallParts, isFound = false): void {
  const { assistant, call } = parts;
  ringFor(parts, assistant.config.settings.ringTimeout - sinceMs(parts, call().state.startedAt), isFound);
}

function ringFor(parts: CallParts, leftMs: number, isFound = false): void {
  const { life, call, isAnswered, hangUp } = parts;
  life.after(leftMs, () => {
    const { phase } = call().state;
    const isRinging = RINGING.includes(phase) || (isFound && phase === 'unknown');
    // Somebody who has picked up is not cut off because a slow database keeps us from writing it down.
    if (isRinging && !isAnswered()) hangUp();
  });
}

/**
 * Nobody knows whether the dial got through: asks until it is known or the time is up. A leg that is found tells its
 * events, and they settle the call.
 */
export function settleDial(parts: CallParts): void {
  const { deps, assistant, record, life, call, hangUp } = parts;
  const { id: reference, state } = call();
  if (state.phase !== 'dialing' && state.phase !== 'unknown') return;
  const leftMs =
    assistant.config.settings.ringTimeout + SETTLE_BEYOND_RING_MS - sinceMs(parts, state.startedAt);
  // Should there be a leg after all, it must not ring on.
  if (leftMs <= 0) {
    hangUp('unsettled');
    return;
  }
  void life
    .insist('ask the carrier', () => deps.carrier.attach(reference, progressOf(record)))
    .then((found) => {
      if (!found) life.after(Math.min(SETTLE_EVERY_MS, leftMs), () => settleDial(parts));
      // The ring time may have passed while nobody knew of the leg.
      else ringUntilTimeout(parts, true);
    });
}
