import type { IncomingMessage } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import { isTracing, linksTo, traceHeaders, traceIdOf, withParent, withSpan } from '../observability/index.ts';
import { pathIds } from './path-ids.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/** Handles a request of an endpoint after noting it in the request's context; in a span if requests are traced. */
export function runRoute(
  req: IncomingMessage,
  endpoint: AnyEndpoint,
  segments: readonly string[],
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
