import { backOffMs } from '@parley/kit/jobs';
import { realSleep } from '@parley/kit/time';
import type { Departure } from '../dialing/departures.ts';
import type { CallPhase } from './call.ts';
import { type CallParts, progressOf, sinceMs } from './call-parts.ts';

/** How often the carrier is asked about a dial whose answer was lost, and how long beyond the ring time (stack ms). */
const SETTLE_EVERY_MS = 2_000;
const SETTLE_BEYOND_RING_MS = 30_000;
/** A carrier that can't be asked to hang up: beyond the session there is nobody who could go on asking for ever. */
const HANGUP_TRIES = 8;

/** Asks the carrier for the leg, once and never again (architecture: A call's life 3). */
export async function originateLeg(parts: CallParts, departure: Departure): Promise<void> {
  const { deps, assistant, life, log, call, isStopping, isHangingUp, post, postEnd } = parts;
  for (let leaves = false; !leaves; ) {
    await departure.isNear();
    // Between the grant and now the campaign may have been paused (D7.1), the number put on the do-not-call list (D6.10),
    // or ours deleted.
    const obstacle = await life.insist('ask what stands in the way', () => deps.obstacleTo(call()));
    if (obstacle === undefined) return;
    if (obstacle) return postEnd(obstacle);
    const postponed = await life.insist('leave', departure.leave);
    if (postponed === undefined) return;
    if (isStopping()) return postEnd('stopped');
    if (postponed) await post({ type: 'postponed', at: postponed });
    leaves = !postponed;
  }
  const { id: reference, workspaceId, fromNumber, toNumber, state } = call();
  // This process stood still. Whoever has taken the call over may have settled it: a leg would be nobody's, and a retry
  // of its contact a second dial. If nobody has, it's settled now: what hasn't left never will.
  const isLate = sinceMs(parts, state.startedAt) >= assistant.config.settings.ringTimeout;
  if (isLate || !deps.owner.isLive()) return postEnd('unsettled');
  ringUntilTimeout(parts);
  const hangUpLate = async (): Promise<void> => {
    if (!isHangingUp()) return;
    log.warn('the carrier took its time: a leg that nobody wants any more is hung up');
    await insistALittle(() => deps.carrier.hangup(reference));
    if (life.signal.aborted) deps.carrier.detach(reference);
  };
  try {
    await deps.carrier.originate({ reference, workspaceId, from: fromNumber ?? '', to: toNumber ?? '' });
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
  const { assistant, life, call, isAnswered, hangUp } = parts;
  const leftMs = assistant.config.settings.ringTimeout - sinceMs(parts, call().state.startedAt);
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
