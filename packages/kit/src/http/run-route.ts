import type { IncomingMessage } from 'node:http';
import { isTracing, linksTo, traceHeaders, traceIdOf, withParent, withSpan } from '../observability/index.ts';
import type { MountedRoute } from './app.ts';
import { pathIds } from './path-ids.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import type { RouteTable } from './route-table.ts';

export type Found = { route: MountedRoute; segments: string[] };

export function findRoute(routes: RouteTable<MountedRoute>, path: string, method = 'GET'): Found | undefined {
  const match = routes.find(path);
  const route = match?.byMethod.get(method === 'HEAD' ? 'GET' : method);
  return match && route && { route, segments: match.segments };
}

/** Runs a route after noting it in the request's context; in a span if requests are traced. */
export function runRoute(
  req: IncomingMessage,
  { route: { endpoint }, segments }: Found,
  run: () => Promise<void>,
): Promise<void> {
  const context = contextOf(req);
  context.route = endpoint.path;
  context.endpoint = endpoint;
  context.ids = pathIds(endpoint.path, segments);
  return isTracing() ? runTraced(req, context, run) : run();
}

function runTraced(req: IncomingMessage, context: RequestContext, run: () => Promise<void>): Promise<void> {
  const { route = '', requestId } = context;
  const attributes = { 'http.route': route, 'request.id': requestId };
  const inSpan = async (): Promise<void> => {
    const traceId = traceIdOf(traceHeaders().traceparent);
    if (traceId) context.ids = { ...context.ids, traceId };
    await run();
  };
  const name = `${req.method} ${route}`;
  if (context.isTraceForeign) return withSpan(name, attributes, inSpan, 'server', linksTo(req.headers));
  return withParent(req.headers, () => withSpan(name, attributes, inSpan, 'server'));
}
