import type { Log } from '@parley/kit/log';
import type { Clock } from '@parley/kit/time';
import type { LegEvent, NumberConnection } from '../call-control.ts';
import type { Listeners } from '../listeners.ts';
import type { LegDeps } from './legs/leg-body.ts';
import type { LegState, OneLegState } from './legs/leg-state.ts';
import type { SipLeg } from './legs/sip-leg.ts';
import { toUri } from './signalling/leg-core.ts';
import type { Signalling } from './signalling/signalling.ts';
import type { SipMetrics } from './sip-metrics.ts';
import type { Transfer } from './transfers/transfer-leg.ts';
import { type Credentials, trunkOfConnection } from './trunk.ts';

type Ended = Extract<LegEvent, { type: 'ended' }>;

/** The calls of this process: their legs and transfers. */
export type LocalCalls = {
  readonly signalling: Signalling;
  readonly log: Log;
  readonly legs: Map<string, SipLeg>;
  readonly transfers: Map<string, Transfer>;
  /** The dependencies of a leg of the call. The leg's events are those of the call. */
  legDeps(callId: string): LegDeps;
  /**
   * The credentials of the call's number, for challenges in a leg of another worker. Null: it has none; or the leg does not lead to the
   * number's trunk, as the target of a transfer may; or they can't be read, which must not prevent a hang-up.
   */
  credentialsOf(callId: string, target?: OneLegState): Promise<Credentials | null>;
  /** A call that has no leg here has ended. */
  endedAtOnce(callId: string, end: Pick<Ended, 'cause' | 'provider'>): void;
  forget(callId: string): void;
  /** Resolves when the end of the call, if there was one, is reported. */
  reported(callId: string): Promise<void>;
};

/** `openMedia` of a leg, for a call. */
export type OpenMedia = (
  callId: string,
  options: Parameters<LegDeps['openMedia']>[0],
) => ReturnType<LegDeps['openMedia']>;

type Deps = {
  signalling: Signalling;
  openMedia: OpenMedia;
  saveState(callId: string, state: LegState): Promise<void>;
  findOwnNumber(callId: string): Promise<{ connection: NumberConnection }>;
  listeners: Pick<Listeners, 'emit'>;
  metrics: Pick<SipMetrics, 'happened'>;
  clock: Clock;
  log: Log;
};

/** An ended leg is kept for sessions that attach late. */
const FORGET_AFTER_MS = 60_000;
/** Real time. */
const GONE_TIMEOUT_MS = 5_000;

/** The id of the leg of a call, its `call_sid` [sip.1]. */
export const legIdOf = (callId: string): string => `call-${callId}`;

/** Waits until legs that are being hung up are gone, for a limited time. */
export const awaitGone = (gone: Promise<unknown>): Promise<unknown> =>
  Promise.race([gone, new Promise((resolve) => setTimeout(resolve, GONE_TIMEOUT_MS).unref())]);

export function createLocalCalls({
  signalling,
  openMedia,
  saveState,
  findOwnNumber,
  listeners,
  metrics,
  clock,
  log,
}: Deps): LocalCalls {
  const legs = new Map<string, SipLeg>();
  const transfers = new Map<string, Transfer>();
  /** Ends that wait for the target of a transfer. */
  const reports = new Map<string, Promise<void>>();

  const forget = (callId: string): void => {
    transfers.get(callId)?.stop();
    transfers.delete(callId);
    legs.delete(callId);
  };

  const emit = (callId: string, event: LegEvent): void => {
    const report = (): void => {
      metrics.happened(callId, event);
      listeners.emit(callId, event);
    };
    if (event.type === 'ended') {
      const targetGone = transfers.get(callId)?.stop(event.cause === 'transferred');
      const leg = legs.get(callId);
      setTimeout(() => {
        if (legs.get(callId) === leg) forget(callId);
      }, FORGET_AFTER_MS).unref();
      // The end of a call removes its state, which another worker needs to hang the target up.
      if (targetGone) {
        listeners.emit(callId, { type: 'ending', legId: event.legId, at: event.at });
        const reported = awaitGone(targetGone).then(report);
        reports.set(callId, reported);
        void reported.finally(() => reports.delete(callId));
        return;
      }
    }
    report();
  };

  return {
    signalling,
    log,
    legs,
    transfers,
    forget,
    reported: async (callId) => reports.get(callId),
    legDeps: (callId) => ({
      signalling,
      openMedia: (options) => openMedia(callId, options),
      now: clock.now,
      log: log.child({ callId }),
      emit: (event) => emit(callId, event),
      saveState: (state) => saveState(callId, state),
    }),
    credentialsOf: async (callId, target) => {
      try {
        const { host, credentials } = trunkOfConnection((await findOwnNumber(callId)).connection);
        return target && !isOnHost(target, host) ? null : credentials;
      } catch (err) {
        log.warn({ err, callId }, 'the credentials of a SIP call could not be read');
        return null;
      }
    },
    endedAtOnce: (callId, end) =>
      // After the session has noted that the dial left.
      queueMicrotask(() => {
        const about = { legId: legIdOf(callId), at: clock.now(), answeredAt: null, machine: false };
        const event: LegEvent = { type: 'ended', ...about, ...end };
        metrics.happened(callId, event);
        listeners.emit(callId, event);
      }),
  };
}

function isOnHost(target: OneLegState, host: string): boolean {
  const uri =
    target.phase === 'established'
      ? target.dialog.remoteUri
      : /^to:\s*<?([^>\s]*)/im.exec(target.cancel)?.[1];
  return toUri(uri ?? '').host.toLowerCase() === host.toLowerCase();
}
