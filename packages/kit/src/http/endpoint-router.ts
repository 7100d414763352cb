import type { AnyEndpoint } from '@parley/contracts';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { contextOf } from './request-context.ts';
import { runRoute } from './run-route.ts';

export type HandleRequest = (req: Request, res: Response) => Promise<void>;

export type EndpointRouter = {
  /** Throws if the method and path are taken. */
  add(endpoint: AnyEndpoint, handle: HandleRequest): void;
  /** Passes on requests to other paths, and with other methods: these have `methods` in their context. */
  middleware: RequestHandler;
};

type Served = { endpoint: AnyEndpoint; handle: HandleRequest };

/**
 * Express's router over endpoints in any order of `mount`: fixed segments match before parameters, so that `/v2/call/list` is never an
 * `:id`, whatever the method. One trailing slash is ignored.
 */
export function createEndpointRouter(): EndpointRouter {
  const byShape = new Map<string, Served[]>();
  let router: Router | undefined;

  return {
    add: (endpoint, handle) => {
      const { method, path } = endpoint;
      const shape = path.replace(/:[^/]+/g, ':');
      const others = byShape.get(shape) ?? [];
      if (others.some((other) => other.endpoint.method === method || other.endpoint.path !== path))
        throw new Error(`${method} ${path} is mounted twice, or with other names of its parameters`);
      byShape.set(shape, [...others, { endpoint, handle }]);
      router = undefined;
    },
    middleware: (req, res, next) => {
      router ??= buildRouter(byShape);
      router(req, res, next);
    },
  };
}

function buildRouter(byShape: ReadonlyMap<string, Served[]>): Router {
  const router = express.Router({ caseSensitive: true });
  const inOrder = [...byShape].sort(([a], [b]) => (precedenceOf(a) < precedenceOf(b) ? -1 : 1));
  for (const [, served] of inOrder) {
    const endpoints = served.map(({ endpoint }) => endpoint);
    const [{ path = '/' } = {}] = endpoints;
    const route = router.route(path);
    for (const { endpoint, handle } of served) {
      route[lower(endpoint.method)]((req, res) =>
        runRoute(req, endpoint, Object.values(req.params).map(String), () => handle(req, res)),
      );
    }
    route.all((req, _res, next) => {
      contextOf(req).samePath = endpoints;
      next('router');
    });
  }
  return router;
}

/** Sort key of a path: of two paths that match one URL, the one with a fixed segment where they first differ comes first. */
function precedenceOf(shape: string): string {
  return shape
    .split('/')
    .map((segment) => (segment === ':' ? '1' : '0'))
    .join('');
}

function lower<M extends string>(method: M): Lowercase<M> {
  return method.toLowerCase() as Lowercase<M>;
}

/**
 * Encodes malformed percent-encodings once more. Express rejects them before it knows the route; here the route does, by its contract and
 * after authentication.
 */
export const keepMalformedPaths: RequestHandler = (req, _res, next) => {
  if (!isDecodable(req.path)) {
    const [path = '', ...query] = req.url.split('?');
    const segments = path.split('/').map((part) => (isDecodable(part) ? part : encodeURIComponent(part)));
    req.url = [segments.join('/'), ...query].join('?');
  }
  next();
};

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
