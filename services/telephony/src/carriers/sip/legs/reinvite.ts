import type { IncomingResponse, SessionDialog } from 'sip.js/lib/core/index.js';
import type { LegMedia } from '../media/leg-media.ts';
import { sdpBody } from '../media/sdp.ts';
import type { Hop } from '../signalling/connections.ts';
import { isFailureOfEdge } from '../signalling/edge.ts';
import { followTarget } from './follow-target.ts';
import { GLARE, glareDelayMs } from './glare.ts';
import { askedTerms, longerTerms, refreshedTerms, type SessionTimer } from './session-timer.ts';
import { isTransient, retryAfterMsOf } from './transient.ts';

/** The outcome of a re-INVITE. */
export type ReinviteResult = {
  /** The far end has answered, and both ends have agreed. */
  isAgreed: boolean;
  /** Of the final response. */
  status: number;
  /** It may succeed if it is repeated. */
  isTransient: boolean;
  /** The delay that the far end gives for a repetition (`Retry-After`). */
  retryAfterMs?: number | undefined;
};

type Deps = {
  session: SessionDialog;
  media: LegMedia;
  timer: SessionTimer;
  contactHeader: () => string;
  hop: () => Hop;
  /** Whether the call has ended, or another worker has it. */
  isOver: () => boolean;
  /** Resolves at the end of the call, after which the far end may never respond. */
  gone: Promise<undefined>;
  /** This platform began the call, in whichever worker. */
  isCallIdOurs: boolean;
  onChange: () => void;
};

export const CALL_GONE = 481;
const MAX_TRIES = 3;

/**
 * Offers our audio in a re-INVITE, which also refreshes the session. Repeats it after a glare (both ends have sent one at the same time)
 * and with a longer interval if the far end demands that.
 */
export async function reinvite(deps: Deps): Promise<ReinviteResult> {
  const { session, media, timer, hop, isOver, gone, isCallIdOurs, onChange } = deps;
  for (let tries = 0; tries < MAX_TRIES && !isOver(); tries += 1) {
    const headers = [deps.contactHeader(), ...askedTerms(timer.terms())];
    const message = await Promise.race([sendReinvite(session, media.offer(), headers), gone]);
    if (!message && isOver()) break;
    const status = message?.statusCode ?? GLARE;
    if (message && status >= 200 && status < 300) {
      timer.start(refreshedTerms(message, timer.terms()));
      const isAgreed = message.body !== '' && (await media.accept(message.body));
      onChange();
      return { isAgreed, status, isTransient: false };
    }
    const longer = message && longerTerms(message, timer.terms());
    if (longer) {
      timer.propose(longer);
      continue;
    }
    if (message && status !== GLARE)
      return {
        isAgreed: false,
        status,
        // An edge responds itself if the far end does not.
        isTransient: isTransient(message) || isFailureOfEdge(hop(), message),
        retryAfterMs: retryAfterMsOf(message),
      };
    await new Promise((resolve) => setTimeout(resolve, glareDelayMs(isCallIdOurs)));
  }
  return { isAgreed: false, status: isOver() ? CALL_GONE : GLARE, isTransient: !isOver() };
}

/** The final response; undefined: the library can't send it while another offer is open. */
function sendReinvite(
  session: SessionDialog,
  sdp: string,
  extraHeaders: string[],
): Promise<IncomingResponse['message'] | undefined> {
  return new Promise((resolve) => {
    const done = ({ message }: IncomingResponse): void => resolve(message);
    try {
      session.invite(
        {
          onAccept: (response) => {
            // The acknowledgement goes to the new address already (RFC 3261, 12.2.1.2).
            followTarget(session, response.message);
            response.ack();
            done(response);
          },
          onReject: done,
          onRedirect: done,
        },
        { extraHeaders, body: sdpBody(sdp) },
      );
    } catch {
      resolve(undefined);
    }
  });
}
