import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyEndpoint } from '@parley/contracts';
import type { App } from '@parley/kit/http';
import { createRouteTable } from './route-table.ts';

/** A route that handles some requests without Express (ADR 29). `segments`: the values of the path's parameters. */
export type FastRoute = {
  endpoint: AnyEndpoint;
  takes(req: IncomingMessage): boolean;
  run(req: IncomingMessage, res: ServerResponse, segments: readonly string[]): Promise<void>;
};

/** A path with a query, as nearly all clients send it; Express parses the other forms of HTTP. */
const PLAIN_URL = /^(\/[^?#\s]*)(?:\?[^#\s]*)?$/;

/** Lets fast routes handle the requests that they take, and `app` all others. */
export function withFastPath(app: App, routes: readonly FastRoute[]): App {
  const table = createRouteTable<FastRoute>();
  for (const route of routes) table.add(route.endpoint.method, route.endpoint.path, route);

  return {
    ...app,
    listener: (req, res) => {
      const [, path] = PLAIN_URL.exec(req.url ?? '') ?? [];
      const match = path === undefined ? undefined : table.find(path);
      const route = match?.byMethod.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''));
      if (!match || !route?.takes(req)) return app.listener(req, res);
      const { endpoint } = route;
      const { segments } = match;
      app.serve(req, res, { endpoint, segments }, () => route.run(req, res, segments));
    },
  };
}
