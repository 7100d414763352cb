import {
  Dialog,
  type IncomingRequestMessage,
  InfoUserAgentServer,
  type SessionDialog,
  SignalingState,
  type UserAgentCore,
} from 'sip.js/lib/core/index.js';
import type { LegMedia } from '../media/leg-media.ts';
import { sdpBody } from '../media/sdp.ts';
import { RETRY_LATER } from './dialog.ts';
import { followTarget } from './follow-target.ts';
import { GLARE } from './glare.ts';
import { agreedTerms, asksTooOften, grantedTerms, type SessionTerms, TOO_OFTEN } from './session-timer.ts';

type Deps = {
  core: UserAgentCore;
  media: LegMedia;
  contact: () => string;
  /** The leg is over, or another worker has it. */
  isClosed: () => boolean;
  /** The timer of the session, if it has one. */
  terms: () => SessionTerms | undefined;
  /** The session has changed. */
  onUpdated: (terms: SessionTerms | undefined) => void;
};

const CALL_GONE = 481;
const OUT_OF_ORDER = 500;
const NOT_ACCEPTABLE = 488;
/** Sessions with an unanswered offer in an UPDATE, which the library does not track. */
const changing = new WeakSet<SessionDialog>();

/**
 * Answers an UPDATE (RFC 3311), which the library does not support. It refreshes the session and, like a re-INVITE, may change the far
 * end's audio, also before the call is answered.
 */
export async function answerUpdate(deps: Deps, message: IncomingRequestMessage): Promise<void> {
  const { core, media, contact, isClosed, onUpdated } = deps;
  const dialog = core.dialogs.get(message.callId + message.toTag + message.fromTag);
  if (!dialog) return void core.replyStateless(message, { statusCode: CALL_GONE });
  const session = dialog as SessionDialog;
  if (dialog.remoteSequenceNumber && message.cseq <= dialog.remoteSequenceNumber)
    return void core.replyStateless(message, { statusCode: OUT_OF_ORDER });
  // Records its CSeq number.
  Dialog.prototype.receiveRequest.call(dialog, message);
  // The library's server for any request other than INVITE.
  const request = new InfoUserAgentServer(session, message);
  if (isClosed()) return void request.reject(RETRY_LATER);
  if (asksTooOften(message)) return void request.reject({ ...TOO_OFTEN });
  let sdp: string | undefined;
  if (message.body) {
    // The far end must repeat its offer once the one before it is answered (RFC 3311, 5.2).
    const { signalingState } = session;
    if (signalingState === SignalingState.HaveLocalOffer) return void request.reject({ statusCode: GLARE });
    if (signalingState === SignalingState.HaveRemoteOffer || changing.has(session))
      return void request.reject(RETRY_LATER);
    changing.add(session);
    sdp = await media.answer(message.body).finally(() => changing.delete(session));
    if (isClosed()) return void request.reject(RETRY_LATER);
    if (sdp === undefined) return void request.reject({ statusCode: NOT_ACCEPTABLE });
  }
  followTarget(session, message);
  const terms = grantedTerms(message, deps.terms());
  request.accept({
    statusCode: 200,
    extraHeaders: [`Contact: ${contact()}`, ...(terms ? agreedTerms(terms, message) : [])],
    ...(sdp === undefined ? {} : { body: sdpBody(sdp) }),
  });
  onUpdated(terms);
}
