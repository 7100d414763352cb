import { createDeferred } from '@parley/kit/concurrency';
import {
  C,
  type IncomingResponse,
  NameAddrHeader,
  type OutgoingInviteRequest,
  type OutgoingInviteRequestDelegate,
  SessionDialog,
  type URI,
} from 'sip.js/lib/core/index.js';
import type { EndCause, ProviderCause } from '../../call-control.ts';
import { sdpBody } from '../media/sdp.ts';
import { e164Of } from '../signalling/called-number.ts';
import { type FindRoute, isServerOf, type Route, type TrunkServer } from '../signalling/find-route.ts';
import { failureOf } from './failure-of.ts';
import { followTarget } from './follow-target.ts';
import { type LegBody, type LegDeps, openLegBody, TRANSACTION_MS } from './leg-body.ts';
import { type DialRequest, type NoRoute, type OpenRoute, openRoute, type Uris } from './open-route.ts';
import { createOutgoing, type Outgoing } from './outgoing.ts';
import { hangUp } from './send-bye.ts';
import { sessionTerms } from './session-timer.ts';
import type { SipLeg } from './sip-leg.ts';

/** `isHeldBack`: nothing was sent, because the call is no longer wanted or its state could not be stored. */
export type Dialed = { leg: SipLeg } | NoRoute | { isHeldBack: true };

/** The session hangs up at the ring timeout, before this leg does. */
const RING_TOLERANCE_MS = 5_000;
/** The far end has this long to respond to a CANCEL; then the leg is over for us. */
const CANCEL_TIMEOUT_MS = 4_000;
const ALLOW = 'Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, INFO, NOTIFY, PRACK, REFER, UPDATE';
const NOT_STORED: ProviderCause = { code: null, text: 'The state of the call could not be stored' };

/**
 *   inviting → ringing → answered → ended      any response may be the first; after a hang-up the far end's answer is
 *                                              acknowledged and ended by BYE
 *
 * The state for another worker is stored before the INVITE leaves. Resolves once it leaves, or cannot. `opened`: the route, if it is
 * open already.
 */
export async function dialLeg(
  deps: LegDeps & { findRoute: FindRoute },
  request: DialRequest,
  opened?: OpenRoute,
): Promise<Dialed> {
  const open = opened ?? (await openRoute(deps, request));
  if (!('flow' in open)) return open;
  const { trunk, callId, sipCallId, legId, from } = request;
  const { route, servers, uris, flow, media } = open;
  const isSecure = trunk.transport === 'tls';
  const user = from.replace(/^\+/, '');
  const outgoing = createOutgoing(flow, request);
  const body = await openLegBody(deps, {
    ...{ callId, legId, sipCallId, user, flow, media, isSecure },
    peers: route.addresses,
    localAddress: flow.localAddress(),
    // A challenge that crosses a hang-up must not make the call again.
    credentials: () => (outgoing.isCancelled ? null : trunk.credentials),
    beforeInvite: outgoing.beforeInvite,
  });
  try {
    const leg = invite(body, { ...request, route, servers, uris, outgoing });
    return (await outgoing.left) ? { leg } : { isHeldBack: true };
  } catch (err) {
    body.discard();
    throw err;
  }
}

type Invitation = DialRequest & {
  route: Route;
  /** To the servers that have not failed; the first is connected. */
  servers: TrunkServer[];
  uris: Uris;
  outgoing: Outgoing;
};

function invite(body: LegBody, invitation: Invitation): SipLeg {
  const { core, facts, media, flow } = body;
  const { trunk, route, servers, from, to, uris, outgoing, sipCallId, ringTimeoutMs } = invitation;
  let isHangingUp = false;
  let target = uris.target;
  let isRedirected = false;
  let sent: OutgoingInviteRequest | undefined;
  let ringTimer: NodeJS.Timeout | undefined;
  const { promise: settled, resolve: settle } = createDeferred<void>();
  /** Resolves once the far end has refused the cancelled INVITE, or has hung up its answer. False: it has not responded in time. */
  const { promise: cancelled, resolve: onCancelled } = createDeferred<boolean>();

  const finish = (cause: EndCause, provider?: ProviderCause, lingerMs?: number): void => {
    clearTimeout(ringTimer);
    body.end(cause, provider, lingerMs, isHangingUp ? cancelled : undefined);
    settle();
    outgoing.report(true);
  };

  const finishHangUp = (isGone: Promise<boolean> | boolean = true, lingerMs?: number): void => {
    onCancelled(isGone);
    finish('local', undefined, lingerMs);
  };

  /** Nothing was sent, and nothing remains. */
  const holdBack = (): void => {
    outgoing.step = 'held';
    clearTimeout(ringTimer);
    body.discard();
    settle();
    outgoing.report(false);
  };

  const fail = ({ message: response }: IncomingResponse): void => {
    // Without bytes it is the library's own: if the INVITE has left, the far end may still ring.
    if (isHangingUp) finishHangUp(outgoing.step !== 'left' || Boolean(response.data));
    // Another process has the call by now.
    else if (body.isClosed()) settle();
    else if (outgoing.step === 'storing' || outgoing.step === 'held') holdBack();
    else if (outgoing.step === 'connecting' && outgoing.isTooLate()) holdBack();
    else if (outgoing.isNotStored) finish('transient', NOT_STORED);
    else {
      const { cause, provider, isOfServer } = failureOf(flow.hop, response, facts.hasRung);
      const give = (): void => (isHangingUp ? finishHangUp() : finish(cause, provider));
      if (!facts.hasRung && isOfServer && servers.length > 1) void tryNext(give);
      else give();
    }
  };

  /** Sends the INVITE to another server. Rejects if it cannot be connected. */
  const sendTo = async ({ hop }: TrunkServer): Promise<void> => {
    await flow.moveTo(hop);
    if (isHangingUp) return finishHangUp();
    if (body.isClosed()) return;
    core.configuration.viaHost = flow.viaHost();
    send();
  };

  /** Tries the servers after one that failed (RFC 3263, 4.3). */
  const tryNext = async (give: () => void): Promise<void> => {
    for (let next = servers[1]; next; next = servers[1]) {
      servers.shift();
      try {
        return await sendTo(next);
      } catch {
        // Try the next one.
      }
    }
    give();
  };

  /** Followed once, and only to a server of the trunk and the same number: other targets were not checked. */
  const redirect = (response: IncomingResponse): void => {
    const uri = contactsOf(response).find(
      ({ scheme, host, port, user }) =>
        scheme === 'sip' && isServerOf(trunk, route, { host, port: port ?? null }) && isSameUser(user, to),
    );
    if (!uri || isRedirected || isHangingUp) {
      fail(response);
      return;
    }
    isRedirected = true;
    target = uri;
    const current = servers[0];
    const server = serverOf(route.servers, uri) ?? current;
    if (server) servers.splice(0, servers.length, server, ...servers.filter((other) => other !== server));
    if (server && server !== current && server.hop.via === 'direct')
      sendTo(server).catch(() => fail(response));
    else send();
  };

  const send = (): void => {
    const headers = [
      `Contact: <${flow.contactUri(from.replace(/^\+/, ''))}>`,
      ALLOW,
      `P-Asserted-Identity: <${uris.from}>`,
      ...(servers[0]?.headers ?? []),
    ];
    const ids = { callId: sipCallId };
    const offer = sdpBody(media.offer());
    const message = core.makeOutgoingRequestMessage(
      C.INVITE,
      target,
      uris.from,
      uris.to,
      ids,
      headers,
      offer,
    );
    // A failure of the connection comes as a response of the library.
    if (outgoing.step === 'connecting') outgoing.step = 'storing';
    sent = core.invite(message, delegate);
  };

  let early: Promise<unknown> = Promise.resolve();
  /** False: the answer is malformed, or its codec cannot be opened. */
  const agree = async (answer: string): Promise<boolean> => {
    const isAgreed = await media.accept(answer).catch(() => false);
    if (isAgreed) facts.media();
    return isAgreed;
  };

  const delegate: OutgoingInviteRequestDelegate = {
    onProgress: ({ message: response, session, prack }) => {
      if (/\b100rel\b/.test(response.getHeader('require') ?? '')) prack();
      // The far end may hang up before it has answered.
      session.delegate ??= { onPrack: (request) => void request.accept() };
      if (facts.answeredAt || isHangingUp || body.isClosed()) return;
      const hasAudio = response.body !== '';
      facts.ringing(hasAudio);
      if (hasAudio) early = agree(response.body);
    },
    onAccept: ({ message: response, session, ack }) => {
      // The library would keep sending to the address of the 180.
      if (session instanceof SessionDialog) followTarget(session, response);
      ack();
      if (!(session instanceof SessionDialog)) return;
      if (isHangingUp) {
        // Answer a challenge of the BYE.
        outgoing.isCancelled = false;
        return finishHangUp(body.hangUpLate(session), TRANSACTION_MS);
      }
      // Another phone of a forked call, or an answer that crossed the move of the call to another worker.
      if (facts.answeredAt || body.isClosed()) {
        void hangUp(session);
        return;
      }
      clearTimeout(ringTimer);
      const dialog = body.establish(session, sessionTerms(response, 'uac'));
      settle();
      // The answer may have come in a reliable provisional response, and is not repeated then (RFC 3262).
      const agreed = response.body ? agree(response.body) : early.then(() => media.session() !== undefined);
      void agreed.then((isAgreed) => {
        if (isAgreed) return;
        dialog.bye();
        finish(
          'lost',
          { code: '200', text: 'The answer has no codec in common with the offer' },
          TRANSACTION_MS,
        );
      });
    },
    onReject: fail,
    onRedirect: redirect,
  };

  const cancel = (): void => {
    isHangingUp = true;
    outgoing.isCancelled = true;
    sent?.cancel();
    // In case the trunk does not respond at all.
    setTimeout(() => finish('local', undefined, TRANSACTION_MS), CANCEL_TIMEOUT_MS).unref();
    setTimeout(() => onCancelled(false), CANCEL_TIMEOUT_MS + TRANSACTION_MS).unref();
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
  send();
  ringTimer = setTimeout(() => leg.hangup(), ringTimeoutMs + RING_TOLERANCE_MS);
  ringTimer.unref();
  return leg;
}

/** The server whose address is in a URI; undefined: the URI has the trunk's name. */
function serverOf(servers: readonly TrunkServer[], { host, port }: URI): TrunkServer | undefined {
  const named = servers.filter(({ target }) => target.address === host.replace(/^\[|\]$/g, ''));
  return named.find(({ target }) => target.port === port) ?? named[0];
}

function contactsOf({ message }: IncomingResponse): URI[] {
  return message.getHeaders('contact').flatMap((_, n) => {
    const contact: unknown = message.parseHeader('contact', n);
    return contact instanceof NameAddrHeader ? contact.uri : [];
  });
}

function isSameUser(user: string | undefined, to: string): boolean {
  const number = e164Of(user);
  return number === undefined ? user !== undefined && toUser(to) === user : number === to;
}

function toUser(to: string): string | undefined {
  return /^sips?:([^@]+)@/.exec(to)?.[1];
}
