import {
  type IncomingInviteRequest,
  ReInviteUserAgentServer,
  type SessionDialog,
  TransactionState,
} from 'sip.js/lib/core/index.js';

/**
 * Reports that our answer to a re-INVITE was repeated for 32 seconds and never acknowledged: the call has to end (RFC 3261, 14.2). The
 * library reports this only for the first INVITE, and then refuses all further re-INVITEs.
 */
export function watchAcknowledgement(
  session: SessionDialog,
  request: IncomingInviteRequest,
  onUnacknowledged: () => void,
): void {
  if (!(request instanceof ReInviteUserAgentServer)) return;
  const { transaction } = request;
  transaction.addStateChangeListener(() => {
    if (transaction.state === TransactionState.Terminated && session.reinviteUserAgentServer === request)
      onUnacknowledged();
  });
}
