import {
  Dialog,
  type IncomingRequestMessage,
  InfoUserAgentServer,
  NameAddrHeader,
  type SessionDialog,
  type UserAgentCore,
} from 'sip.js/lib/core/index.js';
import type { LegMedia } from '../media/leg-media.ts';
import { agreedTerms, type SessionTerms, sessionTerms } from './session-timer.ts';

type Deps = {
  core: UserAgentCore;
  media: LegMedia;
  contact: () => string;
  /** An offer of ours has not been answered yet: the far end must repeat its own later. */
  isOffering: (session: SessionDialog) => boolean;
  /** What was agreed on has changed. */
  onUpdated: (terms: SessionTerms | undefined) => void;
};

const CALL_GONE = 481;
const OUT_OF_ORDER = 500;
const GLARE = 491;
const NOT_ACCEPTABLE = 488;

/**
 * Answers an UPDATE (RFC 3311), which the library does not know: it refreshes the session, and may change the far end's audio like a
 * re-INVITE, before the answer too.
 */
export async function answerUpdate(deps: Deps, message: IncomingRequestMessage): Promise<void> {
  const { core, media, contact, isOffering, onUpdated } = deps;
  const dialog = core.dialogs.get(message.callId + message.toTag + message.fromTag);
  if (!dialog) return void core.replyStateless(message, { statusCode: CALL_GONE });
  const session = dialog as SessionDialog;
  if (dialog.remoteSequenceNumber && message.cseq <= dialog.remoteSequenceNumber)
    return void core.replyStateless(message, { statusCode: OUT_OF_ORDER });
  // Notes its sequence number.
  Dialog.prototype.receiveRequest.call(dialog, message);
  // The library's server of a request other than INVITE, whatever its name.
  const request = new InfoUserAgentServer(session, message);
  let sdp: string | undefined;
  if (message.body) {
    if (isOffering(session)) return void request.reject({ statusCode: GLARE });
    sdp = await media.answer(message.body);
    if (sdp === undefined) return void request.reject({ statusCode: NOT_ACCEPTABLE });
  }
  const target: unknown = message.parseHeader('contact');
  const { dialogState } = session as unknown as { dialogState: { remoteTarget: unknown } };
  if (target instanceof NameAddrHeader) dialogState.remoteTarget = target.uri;
  const terms = sessionTerms(message, 'uas');
  const isSupported = /\btimer\b/.test(message.getHeader('supported') ?? '');
  request.accept({
    statusCode: 200,
    extraHeaders: [`Contact: ${contact()}`, ...(terms ? agreedTerms(terms, isSupported) : [])],
    ...(sdp === undefined
      ? {}
      : { body: { contentDisposition: 'session', contentType: 'application/sdp', content: sdp } }),
  });
  onUpdated(terms);
}
