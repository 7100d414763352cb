import { type AnyEndpoint, publicEndpoints, type ServiceName } from '@parley/contracts';
import { type App, contextOf, type InternalTokens } from '@parley/kit/http';
import { isBearer } from '../domain/access/authenticate-key.ts';
import type { Limiter } from '../domain/limits/bucket.ts';
import { limitOpen, type OpenLimits } from '../domain/limits/limit-open.ts';
import { forward } from '../forward/forward.ts';
import type { Upstream } from '../forward/upstream.ts';
import type { Admission } from './admission.ts';
import { allowEveryOrigin, WIDGET_PATH } from './widget-origins.ts';

export type DoorDeps = {
  admission: Admission;
  limiter: Limiter;
  openLimits: OpenLimits;
  internalTokens: InternalTokens;
  upstreams: Record<Exclude<ServiceName, 'gateway'>, Upstream>;
};

/** Every public endpoint of the platform: key or session, limits, then on to the service that owns it. */
export function mountPublicRoutes(app: App, deps: DoorDeps): void {
  for (const endpoint of publicEndpoints) addRoute(app, endpoint, deps);
  // Preflights, and what is answered where there is no such route.
  app.router.use(WIDGET_PATH, allowEveryOrigin);
  app.router.use(deps.admission.admitStray);
}

function addRoute(app: App, endpoint: AnyEndpoint, deps: DoorDeps): void {
  if (endpoint.service === 'gateway') return;
  const upstream = deps.upstreams[endpoint.service];
  const isForPages = endpoint.path.startsWith(`${WIDGET_PATH}/`);
  const on = { upstream, internalTokens: deps.internalTokens };
  const takesKeys = endpoint.access !== 'open' && !isForPages;

  app.routes.add(endpoint.method, endpoint.path, {
    endpoint,
    run: async (req, res, segments) => {
      if (isForPages) allowEveryOrigin(req, res, () => {});
      const context = contextOf(req);
      const exchange = { req, res, segments, context };
      // Anybody may ask, and what a request carries decides at its owner: no key is looked at, and none is vouched for.
      if (endpoint.access === 'open') {
        const address = req.ip ?? '';
        const stranger = { address, link: segments[0] ?? req.get('x-access-token') };
        await limitOpen(deps.limiter, stranger, deps.openLimits);
        return forward(on, endpoint, { ...exchange, auth: null, address });
      }
      const auth = await deps.admission.admit(req, res, endpoint);
      await forward(on, endpoint, { ...exchange, auth });
    },
    // Nearly all requests.
    bare: {
      takes: ({ headers }) => takesKeys && isBearer(headers.authorization),
      run: async (req, res, segments) => {
        const auth = await deps.admission.admitKey(req, res, endpoint);
        await forward(on, endpoint, { req, res, segments, context: contextOf(req), auth });
      },
    },
  });
}
