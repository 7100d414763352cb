import { type IncomingMessage, NameAddrHeader, type SessionDialog } from 'sip.js/lib/core/index.js';

/** The far end may be reached elsewhere from now on. The library follows its re-INVITEs only. */
export function followTarget(session: SessionDialog, message: IncomingMessage): void {
  const target: unknown = message.parseHeader('contact');
  const { dialogState } = session as unknown as { dialogState: { remoteTarget: unknown } };
  if (target instanceof NameAddrHeader) dialogState.remoteTarget = target.uri;
}
