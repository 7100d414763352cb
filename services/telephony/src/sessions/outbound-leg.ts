import { retry } from '@parley/kit/concurrency';
import type { OriginateRequest } from '../carriers/call-control.ts';
import type { Departure } from '../dialer/dialer.ts';
import type { UndoneAs } from '../dialer/undo-dials.store.ts';
import type { Call, CallPhase, StopCause } from './call.ts';
import type { EventQueue } from './event-queue.ts';
import type { OwnEndCause } from './judge-end.ts';
import type { Leg } from './leg.ts';
import type { Entry } from './ports.ts';

/** How often the carrier is asked about a dial with an unknown outcome, and how long beyond the ring time (stack ms). */
const RESOLVE_EVERY_MS = 2_000;
const RESOLVE_BEYOND_RING_MS = 30_000;
/** Even with a fast clock, the request of a dead worker may still be in transit to the carrier (real time). */
const MIN_RESOLVE_REAL_MS = 5_000;
/** Attempts to hang up a leg that outlives its session, since no other worker would. */
const HANGUP_TRIES = 8;

const RINGING: readonly CallPhase[] = ['dialing', 'ringing'];

export type OutboundLeg = {
  /**
   * Dials once, at the slot; a dial that may have left is never repeated. Resolves when the carrier has answered, or when the call is
   * undone because the dial did not leave.
   */
  originate(departure: Departure): Promise<void>;
  /**
   * Queries the carrier about a dial with an unknown outcome, until the carrier knows the call (then `onFound`; by default the call keeps
   * ringing) or the time is up.
   */
  resolve(onFound?: () => void): void;
  /** The carrier is being queried about the dial of a dead worker, which may not have become a call. */
  isInDoubt(): boolean;
  /** Hangs up at the end of the ring time. `isFound`: the carrier has the leg, even if the state of the call is still `unknown`. */
  ringUntilTimeout(isFound?: boolean): void;
};

type Options = {
  queue: EventQueue;
  leg: Leg;
  undoDial: (call: Call, as: UndoneAs) => Promise<boolean>;
  record: readonly Entry[];
  ringTimeoutMs: () => number;
  detectsMachine: () => boolean;
  openConnection: OriginateRequest['openConnection'];
  stopCause: () => StopCause | null;
  isHangingUp: () => boolean;
  hangUp: (cause: OwnEndCause) => void;
  /** The call is undone: the session is over. */
  onUndone: () => void;
};

export function createOutboundLeg(options: Options): OutboundLeg {
  const { queue, leg, undoDial, record, ringTimeoutMs, stopCause, isHangingUp, hangUp, onUndone } = options;
  const { life, log, clock, call, sinceMs, post, postEnd, command } = queue;
  let isInDoubt = false;

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

  const request = ({ isTooLate }: Departure): Omit<OriginateRequest, 'reference'> => ({
    workspaceId: call().workspaceId,
    from: call().fromNumber ?? '',
    to: call().toNumber ?? '',
    ringTimeoutMs: ringTimeoutMs(),
    detectsMachine: options.detectsMachine(),
    openConnection: options.openConnection,
    isTooLate,
  });

  /**
   * Runs before the slot, since a dial that waits for its trunk would leave too late. False: nothing can be sent, and `originate`
   * reports why. Undefined: the preparation failed, but may succeed for a later slot.
   */
  const prepare = async (departure: Departure): Promise<boolean | undefined> => {
    try {
      return await leg.prepare(request(departure));
    } catch (err) {
      log.warn({ err }, 'a dial could not be prepared');
      return undefined;
    }
  };

  const send = async (departure: Departure) => leg.originate(request(departure));

  /**
   * Sends the request to the carrier at once. Undefined: the call was stopped. The response is wrapped in an object, so that
   * `departure.leave` does not await it.
   */
  const depart = (departure: Departure): { response: Promise<{ isSent: boolean }> } | undefined => {
    if (stopCause()) return undefined;
    const at = clock.now();
    const response = send(departure);
    response.catch(() => {});
    void post({ type: 'departed', at });
    ringFor(ringTimeoutMs());
    return { response };
  };

  const undo = async (as: UndoneAs): Promise<void> => {
    const undone = await life.retryUntilDone('undo the dial', () => undoDial(call(), as));
    if (undone) onUndone();
    // Another worker holds the call, or its end was requested meanwhile.
    else if (undone === false) await postEnd(stopCause() ?? 'stopped');
  };

  /**
   * The dial did not leave. A client's stop ends the call, as the suspension of the workspace does with a single call. Any other
   * dial is undone, and its request waits again.
   */
  const endOrUndo = (): Promise<void> => {
    const cause = stopCause();
    const endsCall = cause && (cause === 'stopped' || !call().campaign);
    return endsCall ? postEnd(cause) : undo('waiting');
  };

  /** A hang-up that was requested before the leg existed had nothing to hang up. */
  const hangUpLate = async (): Promise<void> => {
    if (!isHangingUp()) return;
    log.warn('hanging up a leg that the carrier created after the call had to end');
    await retry(leg.hangup, { attempts: HANGUP_TRIES });
    if (life.signal.aborted) leg.detach();
  };

  /** The time is up, and the carrier does not know the dial. If there is a leg after all, it must not keep ringing. */
  const endUnknown = (): void => {
    if (call().state.phase === 'unknown') hangUp('unsettled');
    else if (!call().campaign || stopCause() === 'stopped') hangUp(stopCause() ?? 'interrupted');
    // Its worker died while the dial was being sent: it never became a call [campaigns.11].
    else void command('hang up', leg.hangup).then((isOurs) => (isOurs ? undo('withdrawn') : undefined));
  };

  const resolve = (onFound = () => ringUntilTimeout(true)): void => {
    const { phase, startedAt } = call().state;
    isInDoubt = phase === 'dialing';
    if (phase !== 'dialing' && phase !== 'unknown') return;
    const waitMs = Math.max(ringTimeoutMs() + RESOLVE_BEYOND_RING_MS, MIN_RESOLVE_REAL_MS * clock.rate);
    const leftMs = waitMs - sinceMs(startedAt);
    if (leftMs <= 0) {
      endUnknown();
      return;
    }
    void life
      .retryUntilDone('attach the leg', () => leg.attach(record))
      .then((found) => {
        if (!found) {
          life.after(Math.min(RESOLVE_EVERY_MS, leftMs), () => resolve(onFound));
          return;
        }
        isInDoubt = false;
        // The ring time may already be over.
        onFound();
      });
  };

  return {
    resolve,
    isInDoubt: () => isInDoubt,
    ringUntilTimeout,
    originate: async (departure) => {
      const canLeave = await prepare(departure);
      if (life.signal.aborted) return;
      if (canLeave === undefined) return endOrUndo();
      // Never retried: the dial may have left.
      const dial = () => depart(departure);
      // A dial that cannot be sent is reported at once, but not after its slot: its campaign may be paused by then.
      const report = () => (departure.isTooLate() ? undefined : dial());
      const departed = canLeave ? await departure.leave(dial) : report();
      if (life.signal.aborted) return;
      if (!departed) return endOrUndo();
      try {
        const { isSent } = await departed.response;
        if (!isSent) return life.signal.aborted ? undefined : endOrUndo();
      } catch (err) {
        log.warn({ err }, 'the response of the carrier was lost');
        await post({ type: 'answer_lost' });
        life.after(RESOLVE_EVERY_MS, resolve);
      }
      await hangUpLate().catch((err: unknown) => log.error({ err }, 'a late leg could not be hung up'));
    },
  };
}
