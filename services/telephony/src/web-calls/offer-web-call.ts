import type { BodyOf, offerWebCall as contract, ResponseOf } from '@parley/contracts';
import type { KeyedLimiter } from '@parley/kit/concurrency';
import { AppError, conflict, validationFailed } from '@parley/kit/errors';
import { realSleep } from '@parley/kit/time';
import { OfferError, readOffer, type WebRtcOffer } from '@parley/media/webrtc-offer';
import type { CallHistory } from '../calls/call-history.store.ts';
import type { Transact } from '../clients/ports.ts';
import type { CallAccess } from './access-token.ts';
import { type AdmitDeps, admit, refused } from './admit.ts';
import { toState } from './call-state.ts';
import { lockToJoin } from './joinable.ts';
import type { WebCalls, WebLines } from './ports.ts';

export type OfferDeps = AdmitDeps & {
  transact: Transact;
  webCalls: Pick<WebCalls, 'lock' | 'joined'>;
  webLines: Pick<WebLines, 'openAudio' | 'offer' | 'findReply' | 'hasAudio'>;
  history: Pick<CallHistory, 'find'>;
  /** Visitors of each workspace who wait for a worker at the same time. */
  visitorWaits: KeyedLimiter;
  /** Those of each call, so that one token leaves room for other visitors. */
  visitorWaitsOfCall: KeyedLimiter;
};

/** Real time. A worker takes a call within a tenth of a second; longer if a takeover comes first. */
const REPLY_TIMEOUT_MS = 8_000;
const POLL_MS = 40;
const RETRY_AFTER_SECONDS = 2;

/**
 * Joins a call by WebRTC, or reconnects to it [web-calls.5]. The offer is stored with the line, where the worker of the call finds it;
 * its reply comes back the same way.
 */
export async function offerWebCall(
  deps: OfferDeps,
  token: string | undefined,
  { sdp, participant }: BodyOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  const { access } = await admit(deps, token);
  const offer = parse(sdp);
  return deps.visitorWaitsOfCall.run(access.callId, () =>
    deps.visitorWaits.run(access.workspaceId, () => join(deps, access, { offer, participant })),
  );
}

async function join(
  deps: OfferDeps,
  access: CallAccess,
  { offer, participant }: { offer: WebRtcOffer; participant: string },
): Promise<ResponseOf<typeof contract>> {
  const seq = await deps.transact(async (tx) => {
    const { call, isJoined, now } = await lockToJoin(tx, deps, access);
    if (!isJoined) {
      if (!(await deps.webLines.hasAudio())) throw unavailable('No worker carries spoken web calls');
      await deps.webLines.openAudio(tx, call.id, participant, now);
    }
    const stored = await deps.webLines.offer(tx, call.id, participant, offer);
    if (stored === undefined)
      throw conflict('The call was joined by text or by another participant, or it is over');
    return stored;
  });
  const answer = await replyTo(deps, access, seq);
  const call = await deps.history.find(access.workspaceId, access.callId);
  if (!call) throw refused();
  return { ...toState(call), sdp: answer };
}

async function replyTo(
  { webLines }: Pick<OfferDeps, 'webLines'>,
  { callId }: CallAccess,
  seq: number,
): Promise<string> {
  for (let waitedMs = 0; waitedMs < REPLY_TIMEOUT_MS; waitedMs += POLL_MS) {
    const reply = await webLines.findReply(callId, seq);
    if (reply) return reply.sdp;
    if (reply === undefined) throw conflict('There was a later offer, or the call is over');
    await realSleep(POLL_MS);
  }
  throw unavailable('No worker has taken the call');
}

function parse(sdp: string): WebRtcOffer {
  try {
    return readOffer(sdp);
  } catch (err) {
    if (!(err instanceof OfferError)) throw err;
    throw validationFailed([{ path: 'sdp', code: 'invalid_format', message: err.message }]);
  }
}

function unavailable(message: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
