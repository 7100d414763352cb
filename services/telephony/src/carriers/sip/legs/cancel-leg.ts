import type { Log } from '@parley/kit/log';
import {
  C,
  IncomingRequestMessage,
  type IncomingResponseMessage,
  NameAddrHeader,
} from 'sip.js/lib/core/index.js';
import { createLegCore } from '../signalling/leg-core.ts';
import type { ParsedMessage } from '../signalling/parse.ts';
import type { Signalling } from '../signalling/signalling.ts';
import type { Credentials } from '../trunk.ts';
import { TRANSACTION_MS } from './leg-body.ts';
import type { OneLegState } from './leg-state.ts';
import { restoreSession } from './restore-session.ts';
import { sendBye } from './send-bye.ts';

type Inviting = Extract<OneLegState, { phase: 'inviting' }>;

/**
 * Cancels a leg that had not been answered when its worker died. What the far end responds to that worker's INVITE is acknowledged here,
 * and an answer that came in between is hung up. Never rejects.
 */
export async function cancelLeg(
  { signalling, log }: { signalling: Signalling; log: Log },
  callId: string,
  { hop, cancel }: Inviting,
  credentials: Credentials | null,
): Promise<void> {
  try {
    const flow = await signalling.openFlow(hop, callId);
    const { core, receive, dispose } = createLegCore({
      flow,
      user: 'cancelled',
      credentials: () => credentials,
    });
    const sipCallId = headerOf(cancel, 'Call-ID');

    const sendAck = (ack: string): void =>
      void flow
        .send(ack)
        .catch((err: unknown) => log.warn({ err, callId }, 'a response was not acknowledged'));

    const acknowledge = (message: IncomingResponseMessage): void => {
      const ack = cancel
        .replace(/^CANCEL /, 'ACK ')
        .replace(/^(cseq:.*) CANCEL$/im, '$1 ACK')
        .replace(/^to:.*$/im, `To: ${message.getHeader('to')}`);
      sendAck(ack);
    };

    const hangUp = (message: IncomingResponseMessage): void => {
      const contact: unknown = message.parseHeader('contact');
      if (!(contact instanceof NameAddrHeader)) return;
      const { from, fromTag, to, toTag, cseq } = message;
      const [localUri, remoteUri] = [from.uri.toString(), to.uri.toString()];
      const routeSet = message.getHeaders('record-route').reverse();
      const options = { callId: sipCallId, cseq, fromTag, toTag, routeSet };
      const ack = core.makeOutgoingRequestMessage(C.ACK, contact.uri, from.uri, to.uri, options);
      ack.setViaHeader(`z9hG4bK${toTag}`, flow.protocol);
      sendAck(ack.toString());
      const session = restoreSession(core, {
        ...{ callId: sipCallId, localTag: fromTag, remoteTag: toTag, localUri, remoteUri, routeSet },
        ...{ remoteTarget: contact.uri.toString(), localCseq: cseq, remoteCseq: null },
      });
      sendBye(session).catch((err: unknown) => log.warn({ err, callId }, 'a leg could not be hung up'));
    };

    const onMessage = (message: ParsedMessage, ...rest: [Parameters<typeof receive>[1]]): void => {
      if (message instanceof IncomingRequestMessage || message.method !== C.INVITE) receive(message, ...rest);
      else if ((message.statusCode ?? 0) >= 300) acknowledge(message);
      else if ((message.statusCode ?? 0) >= 200) hangUp(message);
    };

    const unregister = signalling.router.register(sipCallId, { callId, receive: onMessage });
    signalling.disposeAfter(TRANSACTION_MS, () => {
      unregister();
      dispose();
      flow.close();
    });
    await flow.send(cancel);
  } catch (err) {
    log.warn({ err, callId }, 'a ringing leg of another worker could not be cancelled');
  }
}

function headerOf(message: string, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*\\r?$`, 'im').exec(message)?.[1] ?? '';
}
