import { realSleep } from '@parley/kit/time';
import { mediaClock } from '../../../speech/media-clock.ts';
import { providerCauseOf } from '../causes.ts';
import type { Credentials } from '../trunk.ts';
import type { Dialog } from './dialog.ts';
import { restoreSession } from './dialog-state.ts';
import { type LegBody, type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import type { EstablishedState } from './leg-state.ts';
import type { ReinviteResult } from './reinvite.ts';
import type { SipLeg } from './sip-leg.ts';

/** The far end no longer knows the leg. */
const GONE: ReadonlySet<number> = new Set([404, 481]);
/** A leg whose far end responds with transient failures for this long is lost. Real time. */
const RESUME_TIMEOUT_MS = 30_000;
const REINVITE_AGAIN_MS = 1_000;
const MOVED: ReinviteResult = { isAgreed: false, status: 0, isTransient: false };

type StoredLegOptions = {
  callId: string;
  legId: string;
  state: EstablishedState;
  /** For challenges of the far end. */
  credentials: Credentials | null;
  /** The far end was being connected to another party: if it is gone, the transfer has succeeded. */
  isTransferred?: boolean;
};

/** An answered leg of another worker. */
export type ReopenedLeg = SipLeg & {
  /**
   * Establishes the leg at once, and asks the far end to send its audio here. The leg ends if the far end no longer knows it. Rejects if
   * the audio cannot be opened, which removes the leg.
   */
  resume(): Promise<void>;
};

/** Connects to the far end of a leg of another worker, without sending or storing anything. Rejects if it cannot be connected now. */
export async function reopenLeg(
  deps: LegDeps,
  { callId, legId, state, credentials, isTransferred = false }: StoredLegOptions,
): Promise<ReopenedLeg> {
  const { hop, user, dialog: stored, isSecure, peers, answeredAt } = state;
  const flow = await deps.signalling.openFlow(hop, callId);
  const ids = { callId, legId, sipCallId: stored.callId, user };
  const own = { ...ids, flow, isSecure, peers, credentials: () => credentials };
  const startedMsAgo = Math.max(0, deps.now().getTime() - Date.parse(answeredAt));
  const body = await openLegBody(deps, { ...own, localAddress: flow.localAddress(), startedMsAgo });

  const resume = async (): Promise<void> => {
    let dialog: Dialog;
    let result: ReinviteResult;
    try {
      dialog = body.establish(restoreSession(body.core, stored), stored.terms, new Date(answeredAt));
      result = await reinvite(dialog, body);
    } catch (err) {
      body.discard();
      throw err;
    }
    if (body.isClosed()) return;
    if (result.isAgreed) return body.facts.media();
    dialog.bye();
    const { status } = result;
    const text = 'The call could not be continued';
    const provider = providerCauseOf({ status, text, reason: null, hasRung: true });
    const gone = isTransferred ? 'transferred' : 'remote';
    body.end(GONE.has(status) ? gone : 'lost', provider, TRANSACTION_MS);
  };

  return {
    body,
    resume,
    answer: async () => {},
    reject: () => {},
    settled: async () => {},
    hangup() {
      if (body.facts.isEnded) return;
      body.dialog()?.bye();
      body.end('local', undefined, TRANSACTION_MS);
    },
  };
}

/** Repeated while the response is a transient failure, as during a restart. */
async function reinvite(dialog: Dialog, body: LegBody): Promise<ReinviteResult> {
  const endsAtMs = mediaClock.nowMs() + RESUME_TIMEOUT_MS;
  for (;;) {
    if (body.isClosed()) return MOVED;
    const result = await dialog.reinvite();
    const { isTransient, retryAfterMs = REINVITE_AGAIN_MS } = result;
    if (!isTransient || mediaClock.nowMs() + retryAfterMs > endsAtMs) return result;
    await realSleep(retryAfterMs);
  }
}
