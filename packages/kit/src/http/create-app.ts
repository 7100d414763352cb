import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { AppError } from '../errors/index.ts';
import { answerError } from './answer-error.ts';
import type { App, AppOptions, MountedRoute } from './app.ts';
import { authenticateInternally } from './authenticate.ts';
import { bareFirst } from './bare-first.ts';
import { createOpen } from './open-answer.ts';
import { addProbes, isProbe } from './probes.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { findRoute, runRoute } from './run-route.ts';
import { createRefuseUnreadable } from './unreadable.ts';

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

  const open = createOpen(options);
  app.use((req, res, next) => {
    open(req, res);
    next();
  });
  app.use(dispatch(routes));
  addProbes(app, options, () => stopping);
  app.use(router, refuse(routes, options), answerErrors(routes));

  return {
    listener: bareFirst(routes, open, app),
    refuse: (req, res, err) => {
      open(req, res);
      res.setHeader('connection', 'close');
      const [path = ''] = (req.url ?? '').split('?');
      answerError(err, req, res, findRoute(routes, path, req.method)?.route.endpoint);
    },
    refuseUnreadable: createRefuseUnreadable(options),
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

function dispatch(routes: RouteTable<MountedRoute>): RequestHandler {
  return (req, res, next) => {
    const found = findRoute(routes, req.path, req.method);
    if (!found) return next();
    runRoute(req, found, () => found.route.run(req, res, found.segments)).catch(next);
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

function answerErrors(routes: RouteTable<MountedRoute>): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return (err: unknown, req, res, _next) => {
    const [anyMethod] = routes.find(req.path)?.byMethod.values() ?? [];
    answerError(err, req, res, anyMethod?.endpoint);
  };
}
