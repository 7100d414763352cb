import { createDeferred } from '@parley/kit/concurrency';
import { withDeadline } from '@parley/kit/time';
import type { MediaSession } from '@parley/media';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { LegEvent, TransferRequest } from '../../call-control.ts';
import { TRANSACTION_MS } from '../legs/leg-body.ts';
import type { OneLegState } from '../legs/leg-state.ts';
import type { Dialed } from '../legs/outbound-leg.ts';
import type { SipLeg } from '../legs/sip-leg.ts';
import { bridgeLegs } from './bridge-legs.ts';
import { createHoldMusic } from './hold-music.ts';

export type TransferDeps = {
  /** The `sip:` URI of the destination at the party's trunk. */
  targetUri(destination: string): Promise<string>;
  /** Dials the destination by the number's trunk. */
  dial(
    destination: string,
    ringTimeoutMs: number,
    on: {
      emit: (event: LegEvent) => void;
      saveState: (state: OneLegState) => Promise<void>;
      /** False once the transfer is over. */
      mayLeave: () => boolean;
    },
  ): Promise<Dialed>;
  onFailure(err: unknown): void;
};

/** A transfer in progress, or the bridge that it has led to. */
export type Transfer = {
  /** The leg to the target, once there is one. */
  target(): SipLeg | undefined;
  isBridged(): boolean;
  /**
   * The party's leg is over: it has been connected to the target, or the transfer has failed. Resolves when the target's is over too;
   * undefined: there is none.
   */
  stop(isTransferred?: boolean): Promise<unknown> | undefined;
  /** Another worker has the call. */
  release(): void;
};

/** The session waits for 30 seconds in total. */
const REFER_TIMEOUT_MS = 25_000;
/** If a REFER was refused, the target rings for the rest of this time. */
const WITHIN_MS = 28_000;
const COLD_RING_MS = 20_000;
const WARM_RING_MS = 17_000;
const CONSULT_MS = 11_000;

/**
 *   cold   REFER → the far end reports success (NOTIFY) → transferred
 *              → refused or not supported → this process calls the target → bridged
 *   warm   the target is called while the party hears music → the target hears who calls and accepts → bridged
 *                                                           → or not: the party talks to the assistant again
 *
 * A bridged call stays in this process until either side hangs up, and then ends as transferred.
 */
export function transferLeg(deps: TransferDeps, party: SipLeg, request: TransferRequest): Transfer {
  const { facts } = party.body;
  const { transferId, destination, type, consult } = request;
  const stopped = new AbortController();
  const beganMs = mediaClock.nowMs();
  let target: SipLeg | undefined;
  let targetState: OneLegState | null = null;
  const stateOfTarget = (): OneLegState | null => target?.body.established() ?? targetState;
  let stopMusic = (): void => {};
  let isDone = false;
  let isBridged = false;

  const finish = (ok: boolean): void => {
    if (isDone) return;
    isDone = true;
    stopMusic();
    facts.transferResult(transferId, ok);
    if (!ok) dropTarget();
  };

  /** The target stays stored until it is over: if this process dies before that, another one hangs it up. */
  const dropTarget = (): void => {
    const forget = (isGone = true): void => {
      if (isGone) party.body.stored.forgetTarget(stateOfTarget);
    };
    if (!target) return void forget();
    target.hangup();
    void target.body.gone().then(forget);
  };

  const stop: Transfer['stop'] = (isTransferred = false) => {
    if (!stopped.signal.aborted) {
      stopped.abort();
      finish(isTransferred);
      stopMusic();
      target?.hangup();
    }
    return target?.body.gone();
  };

  const release = (): void => {
    isDone = true;
    target?.body.release();
    stopped.abort();
  };

  /** True: the far end has connected the target; false: it failed to; undefined: it does not support REFER. */
  const refer = async (): Promise<boolean | undefined> => {
    const dialog = party.body.dialog();
    if (!dialog) return undefined;
    const uri = await deps.targetUri(destination);
    party.body.stored.expectTransfer(true);
    return new Promise((resolve) => {
      const settle = (result: boolean | undefined): void => {
        clearTimeout(timer);
        if (result !== true) party.body.stored.expectTransfer(false);
        resolve(result);
      };
      const timer = setTimeout(() => settle(false), REFER_TIMEOUT_MS);
      stopped.signal.addEventListener('abort', () => settle(facts.isEnded));
      const onStatus = (status: number): void => {
        if (status >= 200) settle(status < 300);
      };
      void dialog.refer(uri, onStatus).then((status) => {
        if (status >= 300) settle(undefined);
      });
    });
  };

  const playMusic = (session: MediaSession): void => {
    session.flush();
    const music = session.addSource(createHoldMusic(session.sampleRate));
    stopMusic = () => {
      stopMusic = () => {};
      music();
    };
  };

  const connectTarget = async (): Promise<boolean> => {
    const own = party.body.media.session();
    const ringMs = Math.min(
      type === 'warm' ? WARM_RING_MS : COLD_RING_MS,
      beganMs + WITHIN_MS - mediaClock.nowMs(),
    );
    if (!own || ringMs <= 0) return false;
    playMusic(own);
    const { promise: answered, resolve: onAnswered } = createDeferred<boolean>();
    const onTargetEnd = (): void => {
      onAnswered(false);
      // The target that the party talked to has hung up.
      if (isBridged && !facts.isEnded) {
        party.body.dialog()?.bye();
        party.body.end('transferred', undefined, TRANSACTION_MS);
      }
    };
    const dialed = await deps.dial(destination, ringMs, {
      emit: (event) => {
        if (event.type === 'media' && target?.body.facts.answeredAt) onAnswered(true);
        if (event.type === 'answered' && target?.body.media.session()) onAnswered(true);
        if (event.type === 'ended') onTargetEnd();
      },
      saveState: (next) => {
        targetState = next;
        return party.body.stored.setTarget(stateOfTarget, isBridged);
      },
      mayLeave: () => !stopped.signal.aborted,
    });
    if (!('leg' in dialed)) {
      party.body.stored.forgetTarget(stateOfTarget);
      return false;
    }
    target = dialed.leg;
    if (stopped.signal.aborted) dropTarget();
    const limit = setTimeout(() => onAnswered(false), ringMs + 1_000);
    const isAnswered = await answered.finally(() => clearTimeout(limit));
    const theirs = target.body.media.session();
    if (!isAnswered || !theirs || stopped.signal.aborted) return false;
    if (type === 'warm' && consult) {
      const line = {
        session: theirs,
        onKey: (listener: (key: string) => void) => onKeyOf(dialed.leg, listener),
      };
      const accepts = await withDeadline(CONSULT_MS, (signal) => consult(line, signal), stopped.signal);
      if (!accepts) return false;
    }
    if (stopped.signal.aborted || !bridgeLegs(party, target)) return false;
    stopMusic();
    isBridged = true;
    party.body.stored.expectTransfer(true);
    party.body.stored.setTarget(stateOfTarget, true);
    return true;
  };

  const run = async (): Promise<void> => {
    const referred = type === 'cold' ? await refer() : undefined;
    if (referred === true) {
      finish(true);
      if (facts.isEnded) return;
      party.body.dialog()?.bye();
      party.body.end('transferred', undefined, TRANSACTION_MS);
    } else finish(referred === undefined && (await connectTarget()));
  };
  run().catch((err: unknown) => {
    deps.onFailure(err);
    finish(false);
  });

  return { target: () => target, isBridged: () => isBridged, stop, release };
}

function onKeyOf({ body }: SipLeg, listener: (key: string) => void): void {
  body.media.session()?.onDigit(listener);
  body.onInfoKey(listener);
}

/** Waits for the far end's report on a REFER of another worker: success ends the leg, any other result changes nothing. */
export function continueRefer({ body }: SipLeg): void {
  const timeout = setTimeout(() => body.stored.expectTransfer(false), REFER_TIMEOUT_MS).unref();
  body.dialog()?.onReferred((status) => {
    if (status < 200 || body.facts.isEnded) return;
    clearTimeout(timeout);
    if (status >= 300) return body.stored.expectTransfer(false);
    body.dialog()?.bye();
    body.end('transferred', undefined, TRANSACTION_MS);
  });
}
