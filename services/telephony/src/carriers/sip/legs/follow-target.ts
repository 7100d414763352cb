import { type IncomingMessage, NameAddrHeader, type SessionDialog } from 'sip.js/lib/core/index.js';

/** Sends later requests to the Contact of this message. The library itself does so only after re-INVITEs of the far end. */
export function followTarget(session: SessionDialog, message: IncomingMessage): void {
  const target: unknown = message.parseHeader('contact');
  const { dialogState } = session as unknown as { dialogState: { remoteTarget: unknown } };
  if (target instanceof NameAddrHeader) dialogState.remoteTarget = target.uri;
}
