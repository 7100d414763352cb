import type { RequestListener } from 'node:http';
import type { MountedRoute } from './app.ts';
import type { BeginRequest } from './begin-request.ts';
import { respondWithError } from './respond-with-error.ts';
import type { RouteTable } from './route-table.ts';
import { findRoute, runRoute } from './run-route.ts';

/** A path with a query, as nearly all clients send it; Express parses the other forms of HTTP. */
const PLAIN_URL = /^(\/[^?#\s]*)(?:\?[^#\s]*)?$/;

/** Runs routes that handle a request without Express, and passes all other requests to `next`. */
export function bareFirst(
  routes: RouteTable<MountedRoute>,
  begin: BeginRequest,
  next: RequestListener,
): RequestListener {
  return (req, res) => {
    const [, path] = PLAIN_URL.exec(req.url ?? '') ?? [];
    const found = path === undefined ? undefined : findRoute(routes, path, req.method);
    const bare = found?.route.bare;
    if (!found || !bare?.takes(req)) return next(req, res);
    begin(req, res);
    runRoute(req, found, () => bare.run(req, res, found.segments)).catch((err: unknown) =>
      respondWithError(err, req, res),
    );
  };
}
