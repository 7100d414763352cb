import type { Clock } from '@parley/kit/time';
import { C, IncomingRequestMessage } from 'sip.js/lib/core/index.js';
import { maskMessage, type TraceSink } from '../trace.ts';
import type { SipConnection } from './connection.ts';
import { type Flaw, type ParsedMessage, parseMessage } from './parse.ts';
import { callIdOf } from './read-header.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Receives the messages of a Call-ID: a leg, or a request outside of calls. */
type Receiver = {
  /** The call that its messages belong to, for traces. */
  callId: string | null;
  /** Branch of its first INVITE. An INVITE outside of its dialog with another branch is another call. */
  branch?: string | undefined;
  receive(message: ParsedMessage, connection: SipConnection): void;
  /** Only late messages still arrive: its Call-ID may begin another call. */
  isOver?(): boolean;
  /** A connection is lost, which need not be its own. */
  onClosed?: ((connection: SipConnection) => void) | undefined;
};

/** Messages of one Call-ID: those above the rate are dropped, and only the first ones are traced. */
const MESSAGES = { perSecond: 20, burst: 100 };
const MAX_TRACED = 500;

type Registered = Receiver & { limit: TokenBucket; traced: number };

export type Router = {
  /** Messages of a Call-ID go to `receiver` until the returned function is called. */
  register(sipCallId: string, receiver: Receiver): () => void;
  /** Whether this Call-ID is registered, even if its leg is over. */
  knows(sipCallId: string): boolean;
  /** Whether a call with this Call-ID is in progress. */
  isTaken(sipCallId: string): boolean;
  receive(connection: SipConnection, text: string): void;
  closed(connection: SipConnection): void;
  /** Sends, and traces what was sent. Throws if the connection is closed. */
  send(connection: SipConnection, callId: string | null, text: string): void;
  /** Traces a message that was received before its call was known. */
  traceReceived(connection: SipConnection, callId: string, text: string): void;
  readonly size: number;
};

export type RouterDeps = {
  trace: TraceSink;
  clock: Pick<Clock, 'now'>;
  /** A request that belongs to no registered Call-ID. */
  onRequest: (message: IncomingRequestMessage, connection: SipConnection) => void;
  /** A message that is malformed, or exceeds the rate of its call. */
  onDropped: (connection: SipConnection, reason: Flaw | 'rate', text: string) => void;
  onFailure: (error: unknown) => void;
};

/** Routes each message to its leg by its Call-ID. No message can make it throw. */
export function createRouter({ trace, clock, onRequest, onDropped, onFailure }: RouterDeps): Router {
  const receivers = new Map<string, Registered>();

  const note = (
    connection: SipConnection,
    direction: 'sent' | 'received',
    callId: string | null,
    message: string,
  ): void => {
    const { transport, localAddress, localPort, remoteAddress, remotePort } = connection;
    const local = `${localAddress}:${localPort}`;
    const remote = `${remoteAddress}:${remotePort}`;
    trace({ callId, at: clock.now(), direction, transport, local, remote, message: maskMessage(message) });
  };

  return {
    get size() {
      return receivers.size;
    },
    register(sipCallId, receiver) {
      const registered = { ...receiver, limit: createTokenBucket(MESSAGES), traced: 0 };
      receivers.set(sipCallId, registered);
      return () => {
        if (receivers.get(sipCallId) === registered) receivers.delete(sipCallId);
      };
    },
    knows: (sipCallId) => receivers.has(sipCallId),
    isTaken(sipCallId) {
      const receiver = receivers.get(sipCallId);
      return receiver !== undefined && !receiver.isOver?.();
    },
    receive(connection, text) {
      // Parsing is what costs most.
      const known = receivers.get(callIdOf(text) ?? '');
      if (known && !known.limit.take()) return onDropped(connection, 'rate', text);
      const message = parseMessage(text);
      if (typeof message === 'string') return onDropped(connection, message, text);
      try {
        const receiver = receivers.get(message.callId);
        if (receiver !== known) return onDropped(connection, 'unreadable', text);
        if (receiver && !isAnotherCall(message, receiver)) {
          receiver.traced += 1;
          if (receiver.traced <= MAX_TRACED) note(connection, 'received', receiver.callId, text);
          receiver.receive(message, connection);
        } else if (message instanceof IncomingRequestMessage) {
          onRequest(message, connection);
        }
        // Another one is a late response.
      } catch (error) {
        // The library throws at messages that it does not accept.
        onFailure(error);
      }
    },
    closed(connection) {
      for (const { onClosed } of [...receivers.values()]) onClosed?.(connection);
    },
    traceReceived: (connection, callId, text) => note(connection, 'received', callId, text),
    send(connection, callId, text) {
      connection.send(text);
      note(connection, 'sent', callId, text);
    },
  };
}

function isAnotherCall(message: ParsedMessage, { branch }: Receiver): boolean {
  if (!(message instanceof IncomingRequestMessage) || message.method !== C.INVITE) return false;
  return !message.toTag && message.viaBranch !== branch;
}
