import type { URI } from 'sip.js/lib/core/index.js';
import type { EndCause, ProviderCause } from '../../call-control.ts';
import { type FindRoute, NoRouteError, type Route, type Way } from '../signalling/find-route.ts';
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
};

/** Why there is no leg: nothing was sent. */
export type NoRoute = { cause: EndCause; provider: ProviderCause };
/** A route whose first way is connected. */
export type OpenRoute = { route: Route; ways: Way[]; uris: Uris; flow: Flow } | NoRoute;

/** Finds the trunk and connects to it, which takes time. Sends nothing. */
export async function openRoute(
  deps: LegDeps & { findRoute: FindRoute },
  request: DialRequest,
): Promise<OpenRoute> {
  try {
    const route = await deps.findRoute(request.trunk);
    const uris = urisOf(request, route);
    const ways = [...route.ways];
    return { route, ways, uris, flow: await connect(deps, ways, request.callId) };
  } catch (err) {
    const text = err instanceof Error ? err.message : String(err);
    const isTransient = !(err instanceof NoRouteError) || err.isTransient;
    return { cause: isTransient ? 'transient' : 'no_carrier', provider: { code: null, text } };
  }
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

/** Connects to the first server that can be. Those before it are removed from `ways`. */
async function connect({ signalling }: LegDeps, ways: Way[], callId: string): Promise<Flow> {
  let failure: unknown = new Error('The trunk has no address');
  for (const [n, { hop }] of ways.entries()) {
    try {
      const flow = await signalling.openFlow(hop, callId);
      ways.splice(0, n);
      return flow;
    } catch (err) {
      failure = err;
    }
  }
  throw failure;
}
