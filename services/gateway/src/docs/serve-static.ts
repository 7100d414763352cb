import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type App, contextOf, methodNotAllowed } from '@parley/kit/http';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

type Loaded = { plain: Buffer; zipped: Buffer; etag: string };

export type StaticBody = {
  send(req: Request, res: Response, headers: Record<string, string>): Promise<void>;
};

/** A static body, built at the first request, compressed once, with an ETag. */
export function createStaticBody(load: () => string | Buffer | Promise<Buffer>): StaticBody {
  let loading: Promise<Loaded> | undefined;
  const loaded = (): Promise<Loaded> => {
    loading ??= prepare(load).catch((err: unknown) => {
      loading = undefined;
      throw err;
    });
    return loading;
  };
  return {
    send: async (req, res, headers) => {
      const { plain, zipped, etag } = await loaded();
      res.set({ 'cache-control': 'no-cache', etag, vary: 'accept-encoding', ...headers });
      if (req.get('if-none-match') === etag) {
        res.status(304).end();
        return;
      }
      const isZipped = req.acceptsEncodings('gzip') === 'gzip';
      if (isZipped) res.set('content-encoding', 'gzip');
      res.end(isZipped ? zipped : plain);
    },
  };
}

async function prepare(load: () => string | Buffer | Promise<Buffer>): Promise<Loaded> {
  const plain = Buffer.from(await load());
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { plain, zipped: await compress(plain), etag };
}

/** `GET path` without authentication; other methods are 405 [general.8]. */
export function serveFile(app: App, path: string, body: StaticBody, headers: Record<string, string>): void {
  app.router
    .route(path)
    .get((req, res) => {
      contextOf(req).route = path;
      return body.send(req, res, headers);
    })
    .all((req, res, next) => next(methodNotAllowed(req, res, ['GET'])));
}
