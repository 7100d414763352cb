import { AppError } from '@parley/kit/errors';
import { type App, contextOf } from '@parley/kit/http';
import type { StaticBody } from './static-body.ts';

/** `GET path` for whoever asks; it takes no other method (D1.2). */
export function serveFile(app: App, path: string, body: StaticBody, headers: Record<string, string>): void {
  app.router.get(path, (req, res) => {
    contextOf(req).route = path;
    return body.send(req, res, headers);
  });
  app.router.all(path, (req, res, next) => {
    res.setHeader('allow', 'GET, HEAD');
    next(new AppError('METHOD_NOT_ALLOWED', `${req.method} is not allowed on this path`));
  });
}
