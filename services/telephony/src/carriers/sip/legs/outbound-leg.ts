import {
  C,
  type IncomingResponse,
  type OutgoingInviteRequest,
  type OutgoingInviteRequestDelegate,
  SessionDialog,
  type URI,
} from 'sip.js/lib/core/index.js';
import type { EndCause, ProviderCause } from '../../call-control.ts';
import { causeOf, providerCauseOf, type SipEnd } from '../causes.ts';
import type { Hop } from '../signalling/connections.ts';
import { type FindRoute, NoRouteError, type Route } from '../signalling/find-route.ts';
import type { Flow } from '../signalling/flow.ts';
import { toUri } from '../signalling/leg-core.ts';
import type { Trunk } from '../trunk.ts';
import { sdpBody } from './dialog.ts';
import { type LegBody, type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import { sessionTerms } from './session-timer.ts';
import type { SipLeg } from './sip-leg.ts';

export type DialRequest = {
  callId: string;
  legId: string;
  sipCallId: string;
  trunk: Trunk;
  /** E.164. */
  from: string;
  /** A number, or the user and host of a `sip:` URI. */
  to: string;
  ringTimeoutMs: number;
};

/** The leg, or why there is none: nothing was sent. */
export type Dialled = { leg: SipLeg } | { cause: EndCause; provider: ProviderCause };

/** The session hangs up first. */
const RING_TOLERANCE_MS = 5_000;
/** The far end has this long to respond to a CANCEL; then the leg is over for us. */
const CANCEL_TIMEOUT_MS = 4_000;
const ALLOW = 'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, NOTIFY, PRACK, REFER';

/**
 *   inviting → ringing → answered → ended      any response may be the first; after a hang-up the far end's answer is
 *                                              acknowledged and ended by BYE
 *
 * The state for another worker is stored before the INVITE leaves.
 */
export async function dialLeg(
  deps: LegDeps & { findRoute: FindRoute },
  request: DialRequest,
): Promise<Dialled> {
  const { trunk, callId, sipCallId, legId, from } = request;
  let route: Route;
  let flow: Flow;
  let hop: Hop;
  let uris: Uris;
  try {
    route = await deps.findRoute(trunk);
    uris = urisOf(request, route);
    [flow, hop] = await connect(deps, route, callId);
  } catch (err) {
    const text = err instanceof Error ? err.message : String(err);
    const isTransient = !(err instanceof NoRouteError) || err.isTransient;
    return { cause: isTransient ? 'transient' : 'no_carrier', provider: { code: null, text } };
  }
  const isSecure = trunk.transport === 'tls';
  const user = from.replace(/^\+/, '');
  const cancelling: Cancelling = { isUnderWay: false };
  const body = await openLegBody(deps, {
    ...{ callId, legId, sipCallId, user, flow, isSecure },
    localAddress: flow.localAddress(),
    // A challenge that crosses a hang-up must not make the call again.
    credentials: () => (cancelling.isUnderWay ? null : trunk.credentials),
  });
  try {
    return { leg: invite(body, { ...request, route, hop, uris, cancelling }) };
  } catch (err) {
    body.discard();
    throw err;
  }
}

type Uris = { target: URI; from: URI; to: URI };

function urisOf({ from, to, trunk }: DialRequest, { uriHost }: Route): Uris {
  try {
    const target = toUri(/^sips?:/.test(to) ? to : `sip:${to}@${uriHost}`);
    return {
      target,
      from: toUri(`sip:${from}@${trunk.host}`),
      to: toUri(`sip:${target.user ?? to}@${trunk.host}`),
    };
  } catch {
    throw new NoRouteError('The number or the host makes no SIP URI', false);
  }
}

async function connect(
  { signalling }: LegDeps,
  { hops }: Route,
  callId: string,
): Promise<[flow: Flow, hop: Hop]> {
  let failure: unknown = new Error('The trunk has no address');
  for (const hop of hops) {
    try {
      return [await signalling.openFlow(hop, callId), hop];
    } catch (err) {
      failure = err;
    }
  }
  throw failure;
}

/** The call was hung up before an answer. */
type Cancelling = { isUnderWay: boolean };
type Invitation = DialRequest & { route: Route; hop: Hop; uris: Uris; cancelling: Cancelling };

function invite(body: LegBody, invitation: Invitation): SipLeg {
  const { core, facts, media, flow } = body;
  const { route, hop, from, uris, cancelling, sipCallId, ringTimeoutMs } = invitation;
  const contact = `<${flow.contactUri(from.replace(/^\+/, ''))}>`;
  const headers = [
    `Contact: ${contact}`,
    ALLOW,
    `P-Asserted-Identity: <${uris.from}>`,
    ...route.headersOf(hop),
  ];
  const message = core.makeOutgoingRequestMessage(
    C.INVITE,
    uris.target,
    uris.from,
    uris.to,
    { callId: sipCallId },
    headers,
    sdpBody(media.offer()),
  );
  let isHangingUp = false;
  let sent: OutgoingInviteRequest | undefined;
  let ringTimer: NodeJS.Timeout | undefined;
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });

  const finish = (cause: EndCause, provider?: ProviderCause, lingerMs?: number): void => {
    clearTimeout(ringTimer);
    body.end(cause, provider, lingerMs);
    settle();
  };

  const fail = ({ message: response }: IncomingResponse): void => {
    const end = endOf(response, facts.hasRung);
    if (isHangingUp) finish('local');
    else finish(causeOf(end), providerCauseOf(end));
  };

  const delegate: OutgoingInviteRequestDelegate = {
    onProgress: ({ message: response, session, prack }) => {
      if (/\b100rel\b/.test(response.getHeader('require') ?? '')) prack();
      // The far end may hang up before it has answered.
      session.delegate ??= { onPrack: (request) => void request.accept() };
      if (facts.answeredAt || isHangingUp || body.isClosed()) return;
      const hasAudio = response.body !== '';
      facts.ringing(hasAudio);
      if (hasAudio)
        void media.accept(response.body).then((isAgreed) => {
          if (isAgreed) facts.media();
        });
    },
    onAccept: ({ message: response, session, ack }) => {
      ack();
      if (!(session instanceof SessionDialog)) return;
      // Another phone that was called at the same time, or an answer that crossed our CANCEL or the call's move.
      if (facts.answeredAt || isHangingUp || body.isClosed()) {
        cancelling.isUnderWay = false;
        session.bye();
        if (isHangingUp) finish('local', undefined, TRANSACTION_MS);
        return;
      }
      clearTimeout(ringTimer);
      const dialog = body.establish(session, sessionTerms(response, 'uac'));
      settle();
      void media.accept(response.body).then((isAgreed) => {
        if (isAgreed) return facts.media();
        dialog.bye();
        finish(
          'lost',
          { code: '200', text: 'The answer has no codec in common with the offer' },
          TRANSACTION_MS,
        );
      });
    },
    onReject: fail,
    onRedirect: fail,
  };

  const cancel = (): void => {
    isHangingUp = true;
    cancelling.isUnderWay = true;
    sent?.cancel();
    // A trunk that does not respond at all.
    setTimeout(() => finish('local', undefined, TRANSACTION_MS), CANCEL_TIMEOUT_MS).unref();
  };

  const leg: SipLeg = {
    body,
    answer: async () => {},
    reject: () => leg.hangup(),
    settled: () => settled,
    hangup: () => {
      const dialog = body.dialog();
      if (facts.isEnded || isHangingUp) return;
      if (!dialog) return cancel();
      dialog.bye();
      finish('local', undefined, TRANSACTION_MS);
    },
  };
  // A failure of the connection comes as a response of the library.
  sent = core.invite(message, delegate);
  ringTimer = setTimeout(() => leg.hangup(), ringTimeoutMs + RING_TOLERANCE_MS);
  ringTimer.unref();
  return leg;
}

function endOf(response: IncomingResponse['message'], hasRung: boolean): SipEnd {
  const { statusCode, reasonPhrase = '' } = response;
  // Where there is no response, the library makes one without headers.
  const reason = response.hasHeader('reason') ? (response.getHeader('reason') ?? null) : null;
  return { status: statusCode ?? null, text: reasonPhrase, reason, hasRung };
}
