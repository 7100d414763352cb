import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { AppError } from '../errors/index.ts';
import { traceHeaders, traceIdOf, withParent, withSpan } from '../observability/index.ts';
import { logOnClose } from './access-log.ts';
import { sendError } from './answer.ts';
import type { App, AppOptions, MountedRoute } from './app.ts';
import { authenticateInternally } from './authenticate.ts';
import { idsInPath } from './ids-in-path.ts';
import { addProbes, isProbe } from './probes.ts';
import { contextOf, openContext } from './request-context.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';

/**
 * The HTTP side of a service: request id (D1.6), access log and metrics, `/healthz`, `/readyz`, `/metrics`,
 * the endpoints that `mount` adds, 404 and 405 (D1.2), and every error through `toHttpError`.
 */
export function createApp(options: AppOptions): App {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  const router = express.Router();
  const routes = createRouteTable<MountedRoute>();
  let stopping = false;

  app.use(identify(options));
  app.use(dispatch(routes));
  addProbes(app, options, () => stopping);
  app.use(router, refuse(routes, options), answerError(routes));

  return {
    express: app,
    router,
    routes,
    authenticate:
      'authenticate' in options ? options.authenticate : authenticateInternally(options.internalTokens),
    idempotencyStore: options.idempotencyStore,
    markStopping: () => {
      stopping = true;
    },
  };
}

function identify({ log, metrics, headers = {} }: AppOptions): RequestHandler {
  const always = Object.entries(headers);
  return (req, res, next) => {
    for (const [name, value] of always) res.setHeader(name, value);
    const context = openContext(req, log);
    res.setHeader('x-request-id', context.requestId);
    logOnClose(req, res, context, { log, metrics });
    next();
  };
}

function dispatch(routes: RouteTable<MountedRoute>): RequestHandler {
  return (req, res, next) => {
    const match = routes.find(req.path);
    const route = match?.byMethod.get(req.method === 'HEAD' ? 'GET' : req.method);
    if (!match || !route) return next();
    const context = contextOf(req);
    context.route = route.endpoint.path;
    context.endpoint = route.endpoint;
    context.ids = idsInPath(route.endpoint.path, match.segments);
    const attributes = { 'http.route': route.endpoint.path, 'request.id': context.requestId };
    const run = () =>
      withSpan(
        `${req.method} ${route.endpoint.path}`,
        attributes,
        () => {
          const traceId = traceIdOf(traceHeaders().traceparent);
          if (traceId) context.ids = { ...context.ids, traceId };
          return route.run(req, res, match.segments);
        },
        'server',
      );
    withParent(req.headers, run).catch(next);
  };
}

function refuse(routes: RouteTable<MountedRoute>, options: AppOptions): RequestHandler {
  return (req, res, next) => {
    const served = isProbe(req.path, options) ? ['GET'] : [...(routes.find(req.path)?.byMethod.keys() ?? [])];
    if (served.length === 0) return next(new AppError('NOT_FOUND', `No such path: ${req.path}`));
    const methods = served.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    res.setHeader('allow', methods.join(', '));
    next(new AppError('METHOD_NOT_ALLOWED', `${req.method} is not allowed on this path`));
  };
}

function answerError(routes: RouteTable<MountedRoute>): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (err: unknown, req, res, _next) => {
    const context = contextOf(req);
    if (res.headersSent) {
      context.log.warn({ err }, 'answer broke off');
      res.destroy();
      return;
    }
    const endpoint = context.endpoint ?? routes.find(req.path)?.byMethod.values().next().value?.endpoint;
    const { status, code } = sendError(res, err, endpoint?.legacy === true);
    context.errorCode = code;
    if (status === 500 && !(err instanceof AppError && err.cause === undefined))
      context.log.error({ err }, 'request failed');
    else if (status >= 500) context.log.warn({ err }, 'request not served');
  };
}
