import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { AppError } from '../errors/index.ts';
import type { App, AppOptions, MountedRoute } from './app.ts';
import { authenticateInternally } from './authenticate.ts';
import { bareFirst } from './bare-first.ts';
import { createBeginRequest } from './begin-request.ts';
import { createClientReads } from './client-reads.ts';
import { createRejectMalformed } from './malformed-request.ts';
import { addProbes, isProbe } from './probes.ts';
import { respondWithError } from './respond-with-error.ts';
import { createRouteTable, type RouteTable } from './route-table.ts';
import { findRoute, runRoute } from './run-route.ts';

/**
 * The HTTP side of a service: request ids, access log, metrics, probes, the endpoints that `mount` adds, 404 and 405, and errors as
 * `toHttpError` maps them [general.8].
 */
export function createApp(options: AppOptions): App {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  const router = express.Router();
  const routes = createRouteTable<MountedRoute>();
  let isStopping = false;

  const begin = createBeginRequest(options);
  app.use((req, res, next) => {
    begin(req, res);
    next();
  });
  app.use(dispatch(routes));
  addProbes(app, options, () => isStopping);
  app.use(router, rejectUnmatched(routes, options), handleErrors(routes));

  return {
    listener: bareFirst(routes, begin, app),
    reject: (req, res, err) => {
      begin(req, res);
      res.setHeader('connection', 'close');
      const [path = ''] = (req.url ?? '').split('?');
      respondWithError(err, req, res, findRoute(routes, path, req.method)?.route.endpoint);
    },
    rejectMalformed: createRejectMalformed(options),
    express: app,
    router,
    routes,
    authenticate:
      'authenticate' in options ? options.authenticate : authenticateInternally(options.internalTokens),
    admitAnonymous: options.admitAnonymous ?? (() => {}),
    idempotencyStore: options.idempotencyStore,
    agentOf: options.agentOf,
    clientReads: createClientReads(options.reads, options.metrics),
    markStopping: () => {
      isStopping = true;
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

function rejectUnmatched(routes: RouteTable<MountedRoute>, options: AppOptions): RequestHandler {
  return (req, res, next) => {
    const served = isProbe(req.path, options) ? ['GET'] : [...(routes.find(req.path)?.byMethod.keys() ?? [])];
    if (served.length === 0) return next(new AppError('NOT_FOUND', `No such path: ${req.path}`));
    const methods = served.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    res.setHeader('allow', methods.join(', '));
    next(new AppError('METHOD_NOT_ALLOWED', `${req.method} is not allowed on this path`));
  };
}

function handleErrors(routes: RouteTable<MountedRoute>): ErrorRequestHandler {
  // Express recognises error handlers by their four parameters.
  return (err: unknown, req, res, _next) => {
    const [anyMethod] = routes.find(req.path)?.byMethod.values() ?? [];
    respondWithError(err, req, res, anyMethod?.endpoint);
  };
}
