import type { IncomingRequestMessage, InviteUserAgentServer, SessionDialog } from 'sip.js/lib/core/index.js';
import type { ProviderCause } from '../../call-control.ts';
import { providerCauseOf } from '../causes.ts';
import { sdpBody } from '../media/sdp.ts';
import type { SipConnection } from '../signalling/connection.ts';
import type { Flow } from '../signalling/flow.ts';
import type { Credentials } from '../trunk.ts';
import { type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import { ring } from './reliable-ring.ts';
import { agreedTerms, sessionTerms } from './session-timer.ts';
import type { SipLeg } from './sip-leg.ts';

export type RingingLeg = SipLeg & {
  /** The far end rings from now on: a worker has taken the call. */
  ring(): void;
  /** Responds with a final status, before the leg is answered. */
  decline(status: number, headers?: readonly string[]): void;
  /** When the caller hung up. */
  goneAt(): Date | null;
};

type Options = {
  callId: string;
  legId: string;
  message: IncomingRequestMessage;
  connection: SipConnection;
  flow: Flow;
  isSecure: boolean;
  /** The trunk's, for challenges within the call. */
  credentials: Credentials | null;
  /** The address that it came from. */
  source: string;
};

const NOT_NOW = 480;
const MERGED = 482;
const CANCELLED = 487;
const NOT_ACCEPTABLE = 488;
const TIMED_OUT = 504;
const NOT_ACKNOWLEDGED: ProviderCause = { code: null, text: 'The caller did not acknowledge the ringing' };
const EDGE_LOST: ProviderCause = { code: null, text: 'The edge that it came by was lost while it rang' };

/**
 *   offered → ringing → answered → ended      the caller may cancel before the answer; a description that has nothing in common
 *                                             with ours is declined when the call would be answered
 *
 * Undefined: there is no leg, and the INVITE has been answered.
 */
export async function takeLeg(deps: LegDeps, options: Options): Promise<RingingLeg | undefined> {
  const { callId, legId, message, connection, flow, isSecure, credentials, source } = options;
  let server: InviteUserAgentServer | undefined;
  let isAnswering = false;
  const body = await openLegBody(deps, {
    ...{ callId, legId, sipCallId: message.callId, flow, isSecure },
    branch: message.viaBranch,
    credentials: () => credentials,
    peers: [source],
    localAddress: connection.localAddress,
    user: message.ruri?.user ?? '',
    startedAt: deps.now(),
    onInvite: (request) => {
      if (server) return void request.reject({ statusCode: facts.isEnded ? NOT_NOW : MERGED });
      server = request;
      request.trying();
      request.delegate = { onCancel: () => onCancel() };
    },
    onClosed: (closed) => onClosed(closed),
  });
  const { facts, media } = body;

  const onCancel = (): void => {
    // Once the answer was sent, the caller ends the call by BYE instead.
    if (body.dialog() || facts.isEnded) return;
    server?.reject({ statusCode: CANCELLED });
    body.end('remote', providerCauseOf({ status: null, text: 'CANCEL', reason: null, hasRung: true }));
  };

  /** The edge has lost the transaction: no response of ours reaches the caller, neither by another edge nor by this one when it is back. */
  const onClosed = (closed: SipConnection): void => {
    if (closed !== connection || closed.transport !== 'ws') return;
    if (!body.dialog() && !body.isClosed()) body.end('lost', EDGE_LOST);
  };

  const decline = (status: number, headers: readonly string[] = []): void => {
    if (isAnswering || facts.isEnded) return;
    server?.reject({ statusCode: status, extraHeaders: [...headers] });
    body.end('rejected');
  };

  const accept = async (request: InviteUserAgentServer): Promise<void> => {
    const sdp = message.body ? await media.answer(message.body) : media.offer();
    // It may have been cancelled meanwhile.
    if (facts.isEnded) return;
    if (sdp === undefined) {
      isAnswering = false;
      return decline(NOT_ACCEPTABLE);
    }
    const terms = sessionTerms(message, 'uas');
    const extraHeaders = terms ? agreedTerms(terms, message) : [];
    const { session } = request.accept({ statusCode: 200, extraHeaders, body: sdpBody(sdp) });
    const offered = !message.body;
    body.establish(session as SessionDialog, terms);
    if (!offered) facts.media();
  };

  const leg: RingingLeg = {
    body,
    decline,
    goneAt: () => facts.endedAt,
    ring() {
      if (!server || facts.isEnded || isAnswering) return;
      ring(server, message, {
        isOver: () => isAnswering || facts.isEnded,
        onGivenUp: () => {
          server?.reject({ statusCode: TIMED_OUT });
          body.end('lost', NOT_ACKNOWLEDGED);
        },
      });
    },
    answer: async () => {
      if (!server || isAnswering || facts.isEnded) return;
      isAnswering = true;
      try {
        await accept(server);
      } catch (err) {
        // It may be answered again, or declined.
        isAnswering = body.dialog() !== undefined;
        throw err;
      }
    },
    reject: () => decline(NOT_NOW),
    // A ringing inbound leg cannot move: it ends with this process, and the caller tries another server.
    settled: async () => {},
    hangup() {
      const dialog = body.dialog();
      if (facts.isEnded) return;
      if (!dialog) {
        server?.reject({ statusCode: NOT_NOW });
        return body.end('local');
      }
      // BYE waits for the acknowledgement of our answer.
      dialog.bye();
      body.end('local', undefined, TRANSACTION_MS);
    },
  };
  deps.signalling.router.traceReceived(connection, callId, message.data);
  try {
    body.receive(message, connection);
  } catch (err) {
    body.discard();
    throw err;
  }
  if (server) return leg;
  // The library has refused it, for example for a `sips:` URI or a missing Contact.
  body.discard();
  return undefined;
}
