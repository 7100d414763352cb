import type { Log } from '@parley/kit/log';
import { realSleep } from '@parley/kit/time';
import type { InboundRing, RingListener } from '../../call-control.ts';
import { takeLeg } from '../legs/inbound-leg.ts';
import type { LegDeps } from '../legs/leg-body.ts';
import { asksTooOften, TOO_OFTEN } from '../legs/session-timer.ts';
import type { SipLeg } from '../legs/sip-leg.ts';
import { legIdOf } from '../local-calls.ts';
import type { Hop } from '../signalling/connections.ts';
import type { IncomingCall } from './receive-requests.ts';

type Deps = {
  legs: Map<string, SipLeg>;
  legDeps: (callId: string) => LegDeps;
  listener: RingListener;
  /** How many more calls the worker may carry; may be negative. */
  freeCalls: () => number;
  log: Log;
};

/** The edge tries another worker, or the carrier tries again. */
const RETRY_LATER = ['Retry-After: 2'];
const NOT_NOW = 480;
const LOOP = 482;
const CANCELLED = 487;
const NO_CAPACITY = 503;
const OFFERS = 5;
const OFFER_AGAIN_MS = 500;
const QUOTED = /"[^"]*"/g;
const SCHEME = /^\s*sips?:/i;
/** The port of what follows the user. */
const PORT = /^(?:\[[^\]]*\]|[^:>;,@]*):(\d{1,5})/;
const DEFAULT_PORT = { tcp: 5_060, tls: 5_061 };

const MIN_OFFERING = 16;
/** Maximum for one workspace, whose calls are stored one after the other: the rest is for other workspaces. */
const maxOffering = (freeCalls: number): number => Math.max(MIN_OFFERING, Math.ceil(freeCalls / 2));

/** Offers a call of a trunk to this worker. Returns the status of a refusal. */
export function createTakeCall({ legs, legDeps, listener, freeCalls, log }: Deps) {
  /** Calls that are being offered, which `freeCalls` does not count yet. */
  let offering = 0;
  const offeringOf = new Map<string, number>();
  const countOffering = (workspaceId: string, change: 1 | -1): void => {
    offering += change;
    const count = (offeringOf.get(workspaceId) ?? 0) + change;
    if (count > 0) offeringOf.set(workspaceId, count);
    else offeringOf.delete(workspaceId);
  };
  /** Retries while a dependency is unavailable: the caller hears nothing for a moment. */
  const isTaken = async (ring: () => InboundRing): Promise<boolean> => {
    for (let offers = 0; offers < OFFERS; offers += 1) {
      try {
        return await listener(ring());
      } catch (err) {
        log.warn({ err, callId: ring().reference }, 'inbound call could not be taken');
        await realSleep(OFFER_AGAIN_MS * 2 ** offers);
      }
    }
    return false;
  };

  const offer = async (call: IncomingCall, deps: LegDeps): Promise<void> => {
    const { reference, called, from, message, connection, isSecure, source } = call;
    const legId = legIdOf(reference);
    const flow = await deps.signalling.openFlow(hopOf(call), reference, connection);
    const leg = await takeLeg(deps, {
      ...{ callId: reference, legId, message, connection, flow, isSecure },
      source,
      credentials: called.trunk.credentials,
    });
    if (!leg) return;
    if (call.begin()) {
      leg.decline(CANCELLED);
      return;
    }
    legs.set(reference, leg);
    const at = deps.now();
    const ring = (): InboundRing => ({
      reference,
      legId,
      from,
      to: called.phoneNumber,
      at,
      goneAt: leg.goneAt(),
      workspaceId: called.workspaceId,
    });
    if (await isTaken(ring)) leg.ring();
    else {
      leg.decline(NO_CAPACITY, RETRY_LATER);
      legs.delete(reference);
    }
  };

  return async (call: IncomingCall): Promise<number | undefined> => {
    const { reference, message } = call;
    const deps = legDeps(reference);
    const known = legs.get(reference);
    if (known?.body.facts.isEnded) return NOT_NOW;
    // The same call by another route, or a call of ours that came back.
    if (known || deps.signalling.router.isTaken(message.callId)) return LOOP;
    if (asksTooOften(message)) return TOO_OFTEN.statusCode;
    const { workspaceId } = call.called;
    const free = freeCalls();
    if (free - offering < 1 || (offeringOf.get(workspaceId) ?? 0) >= maxOffering(free)) return NO_CAPACITY;
    countOffering(workspaceId, 1);
    try {
      await offer(call, deps);
    } finally {
      countOffering(workspaceId, -1);
    }
    return undefined;
  };
}

/**
 * The target of our requests once the connection is lost: the address that the call came from, at the port in Record-Route, otherwise in
 * Contact. The certificate must have the name of the trunk, since Contact is often an address.
 */
export function hopOf({
  message,
  connection,
  called,
}: Pick<IncomingCall, 'message' | 'connection' | 'called'>): Hop {
  const { transport, remoteAddress: address } = connection;
  if (transport === 'ws') return { via: 'edge', edge: connection.edge };
  const next = message.getHeader('record-route') ?? message.getHeader('contact') ?? '';
  const port = Number(portOf(next) ?? DEFAULT_PORT[transport]);
  return { via: 'direct', transport, address, port, host: called.trunk.host };
}

/** The port in the first URI of a header. */
function portOf(header: string): string | undefined {
  const [entry = ''] = header.replace(QUOTED, '').split(',', 1);
  const [uri = ''] = entry.slice(entry.indexOf('<') + 1).split('>', 1);
  if (!SCHEME.test(uri)) return undefined;
  const rest = uri.replace(SCHEME, '');
  return PORT.exec(rest.slice(rest.indexOf('@') + 1))?.[1];
}
