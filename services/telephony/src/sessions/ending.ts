import type { EndCause } from '../carriers/call-control.ts';
import type { StopCause } from './call.ts';
import type { EventQueue } from './event-queue.ts';
import { type CallEndCause, FAULTS, type OwnEndCause } from './judge-end.ts';

/** After a hang-up the carrier reports the end of the call; without a report the call ends after this. Stack ms. */
const HANGUP_TIMEOUT_MS = 10_000;
/** The end of a call whose carrier cannot be reached. Stack ms. */
const CARRIER_TIMEOUT_MS = 60_000;
/** The carrier may not know the leg of such a call, so its report is not awaited. */
const NOT_REPORTED: ReadonlySet<CallEndCause> = new Set([...FAULTS, 'unsettled', 'interrupted']);

/** Why and how this process ends a call. */
export type Ending = {
  /** A client, or the suspension of the workspace, has asked for the end. */
  requestStop(cause: StopCause): void;
  stopCause(): StopCause | null;
  /** Hangs up if that was requested; returns whether it was. */
  applyStop(): boolean;
  /** Once; `act` replaces the hang-up of the party's leg. */
  hangUp(cause: OwnEndCause, act?: () => Promise<void>): void;
  isHangingUp(): boolean;
  /** The carrier reports our own hang-ups as `local` and `rejected`; only we know the reason. */
  causeOf(reported: EndCause): CallEndCause;
};

type Options = {
  queue: EventQueue;
  /** A stop that was requested before this process had the call. */
  stopCause: StopCause | null;
  hangupParty: () => Promise<void>;
  onHangUp: () => void;
};

export function createEnding({ queue, hangupParty, onHangUp, ...options }: Options): Ending {
  const { life, log, postEnd, command } = queue;
  let { stopCause } = options;
  let endCause: OwnEndCause | undefined;

  const hangUp: Ending['hangUp'] = (cause, act = hangupParty) => {
    if (endCause || life.signal.aborted) return;
    endCause = cause;
    onHangUp();
    life.after(CARRIER_TIMEOUT_MS, () => void postEnd(cause));
    void command('hang up', act).then((isSent) => {
      if (isSent) life.after(NOT_REPORTED.has(cause) ? 0 : HANGUP_TIMEOUT_MS, () => void postEnd(cause));
    });
  };

  return {
    hangUp,
    isHangingUp: () => endCause !== undefined,
    stopCause: () => stopCause,
    requestStop: (cause) => {
      if (!stopCause) log.info({ cause }, 'stop requested');
      stopCause = cause;
    },
    applyStop: () => {
      if (stopCause) hangUp(stopCause);
      return stopCause !== null;
    },
    causeOf: (reported) => {
      if (reported === 'local') return endCause ?? stopCause ?? 'local';
      return reported === 'rejected' ? (endCause ?? 'rejected') : reported;
    },
  };
}
