import { createDeferred } from '@parley/kit/concurrency';
import {
  C,
  IncomingRequestMessage,
  type IncomingResponseMessage,
  NameAddrHeader,
} from 'sip.js/lib/core/index.js';
import type { LocalCalls } from '../local-calls.ts';
import type { SipConnection } from '../signalling/connection.ts';
import { createLegCore } from '../signalling/leg-core.ts';
import type { ParsedMessage } from '../signalling/parse.ts';
import type { Credentials } from '../trunk.ts';
import { restoreSession } from './dialog-state.ts';
import { TRANSACTION_MS } from './leg-body.ts';
import type { InvitingState } from './leg-state.ts';
import { sendBye } from './send-bye.ts';

const CALL_GONE = 481;

/**
 * Cancels a leg that had not been answered when its worker died. Responses to that worker's INVITE are acknowledged here, and an answer
 * is hung up. Resolves when the leg is over; false: the far end has not responded in time. Rejects if the far end cannot be connected.
 */
export async function cancelLeg(
  { signalling, log }: Pick<LocalCalls, 'signalling' | 'log'>,
  callId: string,
  { hop, cancel }: InvitingState,
  credentials: Credentials | null,
): Promise<boolean> {
  const flow = await signalling.openFlow(hop, callId);
  const { core, receive, dispose } = createLegCore({
    flow,
    user: 'cancelled',
    credentials: () => credentials,
  });
  const sipCallId = headerOf(cancel, 'Call-ID');
  const { promise: over, resolve: onOver } = createDeferred<boolean>();
  /** The ACK by the tag of the phone that answered, for retransmissions of the answer. */
  const answers = new Map<string, string>();

  const sendAck = (ack: string): void =>
    void flow.send(ack).catch((err: unknown) => log.warn({ err, callId }, 'a response was not acknowledged'));

  const acknowledge = (message: IncomingResponseMessage): void => {
    const ack = cancel
      .replace(/^CANCEL /, 'ACK ')
      .replace(/^(cseq:.*) CANCEL$/im, '$1 ACK')
      .replace(/^to:.*$/im, () => `To: ${message.getHeader('to')}`);
    sendAck(ack);
    onOver(true);
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
    answers.set(toTag, ack.toString());
    sendAck(ack.toString());
    const session = restoreSession(core, {
      ...{ callId: sipCallId, localTag: fromTag, remoteTag: toTag, localUri, remoteUri, routeSet },
      ...{ remoteTarget: contact.uri.toString(), localCseq: cseq, remoteCseq: null },
    });
    const hungUp = sendBye(session).then(
      () => true,
      (err: unknown) => {
        log.warn({ err, callId }, 'a leg could not be hung up');
        return false;
      },
    );
    onOver(hungUp);
  };

  const onResponse = (message: IncomingResponseMessage): void => {
    const { statusCode = 0, method, toTag } = message;
    if (method === C.CANCEL) {
      // 481: the far end no longer knows the INVITE. An edge sends a 2xx to this worker, and errors to the dead one: here none may come.
      if (statusCode === CALL_GONE || (hop.via === 'edge' && statusCode >= 200)) onOver(true);
    } else if (statusCode >= 300) acknowledge(message);
    else if (statusCode >= 200) {
      const ack = answers.get(toTag);
      if (ack === undefined) hangUp(message);
      else sendAck(ack);
    }
  };

  const onMessage = (message: ParsedMessage, connection: SipConnection): void => {
    const isOurs =
      !(message instanceof IncomingRequestMessage) && ['INVITE', 'CANCEL'].includes(message.method);
    if (isOurs) onResponse(message);
    else receive(message, connection);
  };

  const unregister = signalling.router.register(sipCallId, { callId, receive: onMessage });
  signalling.disposeAfter(TRANSACTION_MS, () => {
    unregister();
    dispose();
    flow.close();
    onOver(false);
  });
  await flow.send(cancel);
  return over;
}

function headerOf(message: string, name: string): string {
  return new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*\\r?$`, 'im').exec(message)?.[1] ?? '';
}
