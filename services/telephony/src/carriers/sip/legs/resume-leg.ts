import type { Log } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import { mediaClock } from '../../../speech/media-clock.ts';
import { providerCauseOf } from '../causes.ts';
import { createLegCore } from '../signalling/leg-core.ts';
import type { Signalling } from '../signalling/signalling.ts';
import type { Credentials } from '../trunk.ts';
import { cancelLeg } from './cancel-leg.ts';
import type { Dialog, ReinviteResult } from './dialog.ts';
import { type LegBody, type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import type { EstablishedState, OneLegState } from './leg-state.ts';
import { restoreSession } from './restore-session.ts';
import { sendBye } from './send-bye.ts';
import type { SipLeg } from './sip-leg.ts';

/** The far end doesn't know the leg any more. */
const GONE: ReadonlySet<number> = new Set([404, 481]);
/** A far end that only responds that it can't at present has lost the leg after this long. Real time. */
const RESUME_TIMEOUT_MS = 30_000;
const REINVITE_AGAIN_MS = 1_000;
const MOVED: ReinviteResult = { isAgreed: false, status: 0, isTransient: false };

type ResumeOptions = {
  callId: string;
  legId: string;
  state: EstablishedState;
  /** For challenges of the far end. */
  credentials: Credentials | null;
  /** Of a transfer: stored with the leg until it is known what becomes of it. */
  target?: { state: () => OneLegState | null; isBridged: boolean } | undefined;
  /** A REFER was sent: the far end is connecting another party. */
  isReferred?: boolean;
  /** Aborts when another process continues the leg: it is released here, and nothing more is sent. */
  moved: AbortSignal;
};

/**
 * Continues an answered leg of another worker: the far end is asked to send its audio here. If it doesn't know the leg any more, the
 * leg has ended. Rejects if the far end cannot be connected to at present.
 */
export async function resumeLeg(
  deps: LegDeps,
  { callId, legId, state, credentials, target, isReferred = false, moved }: ResumeOptions,
): Promise<SipLeg> {
  const { hop, user, dialog: stored, isSecure, peers, answeredAt } = state;
  const flow = await deps.signalling.openFlow(hop, callId);
  const ids = { callId, legId, sipCallId: stored.callId, user };
  const own = { ...ids, flow, isSecure, peers, credentials: () => credentials };
  const startedMsAgo = Math.max(0, deps.now().getTime() - Date.parse(answeredAt));
  const body = await openLegBody(deps, { ...own, localAddress: flow.localAddress(), startedMsAgo });
  if (moved.aborted) body.release();
  else moved.addEventListener('abort', () => body.release(), { once: true });
  let dialog: Dialog;
  let result: ReinviteResult;
  try {
    if (target) body.setTarget(target.state, target.isBridged);
    // It may report the result before it agrees to our audio.
    if (isReferred) body.expectTransfer(true);
    dialog = body.establish(restoreSession(body.core, stored), stored.terms, new Date(answeredAt));
    result = await reinvite(dialog, body);
  } catch (err) {
    body.discard();
    throw err;
  }
  if (body.isClosed()) return establishedLeg(body);
  const { isAgreed, status } = result;
  if (isAgreed) body.facts.media();
  else {
    dialog.bye();
    const provider = providerCauseOf({
      status,
      text: 'The call could not be continued',
      reason: null,
      hasRung: true,
    });
    const gone = isReferred ? 'transferred' : 'remote';
    body.end(GONE.has(status) ? gone : 'lost', provider, TRANSACTION_MS);
  }
  return establishedLeg(body);
}

/** Repeated while the far end or an edge responds that it can't at present, as when it restarts. */
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

function establishedLeg(body: LegBody): SipLeg {
  return {
    body,
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

/** Ends a leg of a dead worker that no other continues. Rejects if the far end cannot be reached at present. */
export async function hangUpStored(
  deps: { signalling: Signalling; log: Log },
  callId: string,
  state: OneLegState,
  credentials: Credentials | null,
): Promise<void> {
  if (state.phase === 'inviting') return cancelLeg(deps, callId, state, credentials);
  const flow = await deps.signalling.openFlow(state.hop, callId);
  const { core, receive, dispose } = createLegCore({
    flow,
    user: state.user,
    credentials: () => credentials,
  });
  const unregister = deps.signalling.router.register(state.dialog.callId, { callId, receive });
  try {
    await sendBye(restoreSession(core, state.dialog));
  } finally {
    unregister();
    dispose();
    flow.close();
  }
}
