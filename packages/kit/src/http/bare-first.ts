import type { RequestListener } from 'node:http';
import { answerError } from './answer-error.ts';
import type { MountedRoute } from './app.ts';
import type { Open } from './open-answer.ts';
import type { RouteTable } from './route-table.ts';
import { findRoute, runRoute } from './run-route.ts';

/** A path with its query as nearly everybody writes it; what else HTTP allows is read by Express. */
const PLAIN_URL = /^(\/[^?#\s]*)(?:\?[^#\s]*)?$/;

/** Routes that take a request bare are run at once; all else is `next`'s. */
export function bareFirst(
  routes: RouteTable<MountedRoute>,
  open: Open,
  next: RequestListener,
): RequestListener {
  return (req, res) => {
    const [, path] = PLAIN_URL.exec(req.url ?? '') ?? [];
    const found = path === undefined ? undefined : findRoute(routes, path, req.method);
    const bare = found?.route.bare;
    if (!found || !bare?.takes(req)) return next(req, res);
    open(req, res);
    runRoute(req, found, () => bare.run(req, res, found.segments)).catch((err: unknown) =>
      answerError(err, req, res),
    );
  };
}
