import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { AppError } from '../errors/index.ts';
import type { App, AppOptions } from './app.ts';
import { authenticateInternally } from './authenticate-internally.ts';
import { createBeginRequest } from './begin-request.ts';
import { createBodyQueue } from './body-queue.ts';
import { createClientReads } from './client-reads.ts';
import { createClientWrites } from './client-writes.ts';
import { createEndpointRouter, keepMalformedPaths } from './endpoint-router.ts';
import { createRejectMalformed } from './malformed-request.ts';
import { methodNotAllowed } from './method-not-allowed.ts';
import { createNoteClosed } from './note-closed.ts';
import { addProbes } from './probes.ts';
import { contextOf } from './request-context.ts';
import { respondWithError } from './respond-with-error.ts';
import { runRoute } from './run-route.ts';

/**
 * The HTTP side of a service: request ids, access log, metrics, probes, the endpoints that `mount` adds, 404 and 405, and errors as
 * `toHttpError` maps them [general.8].
 */
export function createApp(options: AppOptions): App {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  const router = express.Router();
  const endpoints = createEndpointRouter();
  let isStopping = false;

  const begin = createBeginRequest(options);
  app.use((req, res, next) => {
    begin(req, res);
    next();
  });
  app.use(keepMalformedPaths, endpoints.middleware);
  addProbes(app, options, () => isStopping);
  app.use(router, rejectUnmatched, handleErrors);

  return {
    listener: app,
    begin,
    serve: (req, res, { endpoint, segments }, run) => {
      begin(req, res);
      runRoute(req, endpoint, segments, run).catch((err: unknown) => respondWithError(err, req, res));
    },
    reject: (req, res, err, { keepsOpen = false } = {}) => {
      begin(req, res);
      if (!keepsOpen) res.setHeader('connection', 'close');
      respondWithError(err, req, res);
    },
    rejectMalformed: createRejectMalformed(options),
    noteClosed: createNoteClosed(options),
    express: app,
    router,
    route: endpoints.add,
    authenticate:
      'authenticate' in options ? options.authenticate : authenticateInternally(options.internalTokens),
    admitAnonymous: options.admitAnonymous ?? (() => {}),
    beforeBody: options.beforeBody ?? (() => {}),
    workspaceOfCallToken: options.workspaceOfCallToken ?? (() => undefined),
    idempotencyStore: options.idempotencyStore,
    agentOf: options.agentOf,
    clientReads: createClientReads(options.reads, options.metrics),
    clientWrites: createClientWrites(options.reads),
    bodyQueue: createBodyQueue(),
    markStopping: () => {
      isStopping = true;
    },
  };
}

const rejectUnmatched: RequestHandler = (req, res, next) => {
  const { samePath } = contextOf(req);
  if (!samePath) return next(new AppError('NOT_FOUND', `No such path: ${req.path}`));
  const methods = samePath.map(({ method }) => method);
  next(methodNotAllowed(req, res, methods));
};

// Express recognizes error handlers by their four parameters.
const handleErrors: ErrorRequestHandler = (err: unknown, req, res, _next) => respondWithError(err, req, res);
