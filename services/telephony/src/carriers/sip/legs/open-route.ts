import type { URI } from 'sip.js/lib/core/index.js';
import type { EndCause, ProviderCause } from '../../call-control.ts';
import type { LegMedia } from '../media/leg-media.ts';
import { type FindRoute, NoRouteError, type Route, type TrunkServer } from '../signalling/find-route.ts';
import type { Flow } from '../signalling/flow.ts';
import { toUri } from '../signalling/leg-core.ts';
import type { Trunk } from '../trunk.ts';
import type { LegDeps } from './leg-body.ts';

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
  /** Called right before the first INVITE leaves. Undefined: it may leave. */
  mayLeave?: () => boolean;
};

/** Nothing was sent, and why. */
export type NoRoute = { cause: EndCause; provider: ProviderCause };
/** A route whose first server is connected, and ports for the audio. */
export type OpenRoute =
  | { route: Route; servers: TrunkServer[]; uris: Uris; flow: Flow; media: LegMedia }
  | NoRoute;

/** Finds the trunk and connects to it, which takes time. Sends nothing. Rejects if there are no ports for the audio. */
export async function openRoute(
  deps: LegDeps & { findRoute: FindRoute },
  request: DialRequest,
): Promise<OpenRoute> {
  const { trunk, callId } = request;
  let open: { route: Route; servers: TrunkServer[]; uris: Uris; flow: Flow };
  try {
    const route = await deps.findRoute(trunk);
    const uris = urisOf(request, route);
    const servers = [...route.servers];
    open = { route, servers, uris, flow: await connect(deps, servers, callId) };
  } catch (err) {
    deps.log.debug({ err, callId }, 'a SIP trunk could not be reached');
    const text = textOf(err);
    const isTransient = !(err instanceof NoRouteError) || err.isTransient;
    return { cause: isTransient ? 'transient' : 'no_route', provider: { code: null, text } };
  }
  const { flow, route } = open;
  try {
    const isSecure = trunk.transport === 'tls';
    const localAddress = flow.localAddress();
    return { ...open, media: await deps.openMedia({ localAddress, isSecure, peers: route.addresses }) };
  } catch (err) {
    flow.close();
    throw err;
  }
}

/** Of a dial that did not leave. */
export function closeRoute(opened: OpenRoute): void {
  if (!('flow' in opened)) return;
  opened.media.close();
  opened.flow.close();
}

export type Uris = { target: URI; from: URI; to: URI };

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

/** For the timeline: system errors would reveal addresses of the operator's networks, and what listens there [trust.13]. */
export function textOf(err: unknown): string {
  const code = err instanceof Error && 'code' in err ? String(err.code) : '';
  if (code === 'ETIMEDOUT') return 'The trunk did not respond in time';
  if (/^E(?!RR_)/.test(code)) return 'The trunk could not be reached';
  return err instanceof Error ? err.message : String(err);
}

/** Connects to the first reachable server. Those before it are removed from `servers`. */
async function connect({ signalling }: LegDeps, servers: TrunkServer[], callId: string): Promise<Flow> {
  let failure: unknown = new Error('The trunk has no address');
  for (const [n, { hop }] of servers.entries()) {
    try {
      const flow = await signalling.openFlow(hop, callId);
      servers.splice(0, n);
      return flow;
    } catch (err) {
      failure = err;
    }
  }
  throw failure;
}
