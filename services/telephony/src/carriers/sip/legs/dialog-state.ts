import { C, type InviteClientTransaction, SessionDialog, type UserAgentCore } from 'sip.js/lib/core/index.js';
import { toUri } from '../signalling/leg-core.ts';
import type { DialogState } from './leg-state.ts';
import type { SessionTerms } from './session-timer.ts';

/** Requests of the previous worker that may not be in the stored state. */
export const CSEQ_STEP = 100;

/** The state that another worker needs to continue a dialog. */
export const dialogStateOf = (session: SessionDialog, terms?: SessionTerms): DialogState => ({
  callId: session.callId,
  localTag: session.localTag,
  remoteTag: session.remoteTag,
  localUri: session.localURI.toString(),
  remoteUri: session.remoteURI.toString(),
  remoteTarget: session.remoteTarget.toString(),
  routeSet: session.routeSet,
  localCseq: session.localSequenceNumber ?? 1,
  remoteCseq: session.remoteSequenceNumber ?? null,
  terms,
});

/** A dialog of another worker. Its next CSeq number is above all that the other worker has used. */
export function restoreSession(core: UserAgentCore, state: DialogState): SessionDialog {
  const { callId, localTag, remoteTag, routeSet, localCseq, remoteCseq } = state;
  const [localURI, remoteURI] = [toUri(state.localUri), toUri(state.remoteUri)];
  const remoteTarget = toUri(state.remoteTarget);
  const request = core.makeOutgoingRequestMessage(C.INVITE, remoteTarget, localURI, remoteURI, { callId });
  // The dialog reads only the request of its first transaction, which is over.
  const over = { request } as unknown as InviteClientTransaction;
  return new SessionDialog(over, core, {
    id: callId + localTag + remoteTag,
    early: false,
    callId,
    localTag,
    remoteTag,
    localSequenceNumber: localCseq + CSEQ_STEP,
    remoteSequenceNumber: remoteCseq ?? undefined,
    localURI,
    remoteURI,
    remoteTarget,
    routeSet,
    secure: false,
  });
}
