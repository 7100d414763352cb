import { type AnyEndpoint, CALL_TOKEN_HEADER, publicEndpoints, type ServiceName } from '@parley/contracts';
import { createKeyedLimiter, type KeyedLimiter } from '@parley/kit/concurrency';
import { type App, contextOf, type InternalTokens } from '@parley/kit/http';
import type { Admission } from '../access/admission.ts';
import { isBearer } from '../access/authenticate-caller.ts';
import type { Limiter } from '../limits/bucket.ts';
import { limitOffers, limitOpen, type OpenLimits } from '../limits/limit-anonymous.ts';
import { delaying } from '../limits/slow-refusals.ts';
import type { Turns } from '../turns/turns.ts';
import type { ConcurrentReads } from './concurrent-reads.ts';
import { type FastRoute, withFastPath } from './fast-path.ts';
import { forward } from './forward.ts';
import type { Upstream } from './upstream.ts';
import { allowEveryOrigin, isForPages, WIDGET_PATH } from './widget-origins.ts';

export type PublicRouteDeps = {
  admission: Admission;
  limiter: Limiter;
  openLimits: OpenLimits;
  internalTokens: InternalTokens;
  concurrentReads: ConcurrentReads;
  turns: Pick<Turns, 'leave'>;
  upstreams: Record<Exclude<ServiceName, 'gateway'>, Upstream>;
};

/** Bodies of visitors that a gateway collects at once for a workspace, or from a network: 16 MiB [trust.1]. */
const MAX_VISITOR_BODIES = 256;

/** Routes every public endpoint: authentication, limits, then forwarding to the service that owns it. */
export function mountPublicRoutes(app: App, deps: PublicRouteDeps): App {
  const visitorBodies = createKeyedLimiter({ concurrency: MAX_VISITOR_BODIES });
  const fast = publicEndpoints.flatMap((endpoint) => addRoute(app, endpoint, { ...deps, visitorBodies }));
  // Preflights, and responses to unknown paths.
  app.router.use(WIDGET_PATH, allowEveryOrigin);
  app.router.use(deps.admission.admitUnrouted);
  return withFastPath(app, fast);
}

/** Adds the route to Express, and returns the one that bypasses it, if there is one. */
function addRoute(
  app: App,
  endpoint: AnyEndpoint,
  deps: PublicRouteDeps & { visitorBodies: KeyedLimiter },
): FastRoute[] {
  // Without a key and without a cookie there is no caller: the refusal needs no Express either.
  const takes: FastRoute['takes'] = ({ headers }) =>
    isBearer(headers.authorization) || headers.cookie === undefined;
  if (endpoint.service === 'gateway') return refusalWithoutSession(endpoint, takes, deps);
  const upstream = deps.upstreams[endpoint.service];
  const ofWidget = isForPages(endpoint.path);
  const { internalTokens, concurrentReads, visitorBodies, turns } = deps;
  const on = { upstream, internalTokens, concurrentReads, visitorBodies, turns };
  const charge = deps.admission.chargeArrived;

  app.route(endpoint, async (req, res) => {
    if (ofWidget) allowEveryOrigin(req, res, () => {});
    const context = contextOf(req);
    const values = Object.values(req.params).map(String);
    const exchange = { req, res, segments: values.map(encodeURIComponent), context };
    // The service itself checks the link or token of an open route.
    if (endpoint.access === 'open') {
      const address = req.ip ?? '';
      const caller = { address, link: values[0] ?? req.get(CALL_TOKEN_HEADER) };
      const limiter = delaying(deps.limiter, () => turns.leave(res));
      await limitOpen(limiter, caller, deps.openLimits);
      if (endpoint.id === 'offerWebCall') await limitOffers(limiter, caller, deps.openLimits);
      return forward(on, endpoint, { ...exchange, auth: null, ...caller });
    }
    const auth = await deps.admission.admit(req, res, endpoint);
    await forward(on, endpoint, { ...exchange, auth, charge });
  });
  if (endpoint.access === 'open' || ofWidget) return [];

  const fast: FastRoute = {
    endpoint,
    takes,
    run: async (req, res, segments) => {
      const auth = await deps.admission.admitWithoutSession(req, res, endpoint);
      await forward(on, endpoint, { req, res, segments, context: contextOf(req), auth, charge });
    },
  };
  return [fast];
}

/** The gateway's own routes of sessions refuse every request with a key or without credentials, which needs no Express. */
function refusalWithoutSession(
  endpoint: AnyEndpoint,
  takes: FastRoute['takes'],
  { admission }: PublicRouteDeps,
): FastRoute[] {
  if (endpoint.access !== 'session') return [];
  const run: FastRoute['run'] = async (req, res) => {
    await admission.admitWithoutSession(req, res, endpoint);
    throw new Error(`${endpoint.id} admitted a request without a session`);
  };
  return [{ endpoint, takes, run }];
}
