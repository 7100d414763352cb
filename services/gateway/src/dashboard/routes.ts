import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { notFound } from '@parley/kit/errors';
import { type App, allowOnlyGet, contextOf, methodNotAllowed, sendFile } from '@parley/kit/http';
import type { Request, Response } from 'express';
import { type Build, builtFolder, ENCODINGS, watchBuild } from './built-files.ts';
import { ASSET_HEADERS, FILE_HEADERS, NONCE_PLACEHOLDER, pageHeaders } from './page-headers.ts';

const PREFIX = '/dashboard';
const PAGE = `${PREFIX}/`;

/** Shown instead of the dashboard, in a checkout that has not been built. */
const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Parley</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>Build it with <code>npm run build</code>, then reload this page.</p>
</body>
</html>
`;

type Options = { folder: string | undefined; publicUrl: string | undefined };

/**
 * Serves the built dashboard (ADR 60) [dashboard.1]: its files, and its page at every other path under `/dashboard/`, since the page
 * routes itself [dashboard.2]. `GET /` redirects browsers there [dashboard.3].
 */
export function mountDashboard(app: App, { folder, publicUrl }: Options): void {
  const currentBuild = watchBuild(builtFolder(folder));

  app.router
    .route('/')
    .get((req, res, next) => {
      if (!req.get('accept')?.includes('text/html')) return next('route');
      contextOf(req).route = '/';
      res.set('vary', 'accept').redirect(302, PAGE);
    })
    .all(allowOnlyGet);

  app.router.use(PREFIX, async (req, res, next) => {
    if (req.baseUrl !== PREFIX || req.path === '/api' || req.path.startsWith('/api/')) return next();
    contextOf(req).route = `${PREFIX}/*`;
    if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed(req, res, ['GET']);
    const [path, query] = req.originalUrl.split('?', 2);
    if (path === PREFIX) return res.redirect(308, query === undefined ? PAGE : `${PAGE}?${query}`);
    const build = await currentBuild();
    const name = req.path.slice(1);
    if (build?.files.has(name) && name !== 'index.html') await sendBuilt(build, name, req, res);
    // Serving the page in place of a missing script of an earlier build would cause a confusing error.
    else if (name.startsWith('assets/')) throw notFound('File');
    else sendPage(res, build, publicUrl);
  });
}

/** Sends a file of the build, compressed at build time if the client accepts that. */
function sendBuilt(build: Build, name: string, req: Request, res: Response): Promise<void> {
  const known = build.files.get(name) ?? [];
  const encoding = known.find((one) => req.acceptsEncodings(one) === one);
  const file = encoding ? name + ENCODINGS[encoding] : name;
  const headers = {
    ...(name.startsWith('assets/') ? ASSET_HEADERS : FILE_HEADERS),
    ...(encoding ? { 'content-encoding': encoding } : {}),
    etag: `"${build.version}-${encoding ?? 'plain'}"`,
    vary: 'accept-encoding',
  };
  const contentType = res.type(extname(name)).get('content-type') ?? '';
  const options = {
    root: build.folder,
    acceptRanges: false,
    lastModified: false,
    dotfiles: 'ignore',
  } as const;
  return sendFile(res, { file, contentType, headers }, options);
}

function sendPage(res: Response, build: Build | undefined, publicUrl: string | undefined): void {
  const nonce = randomBytes(16).toString('base64');
  res.set(pageHeaders(nonce, publicUrl));
  if (build) res.send(build.page.replaceAll(NONCE_PLACEHOLDER, nonce));
  else res.status(503).send(NOT_BUILT);
}
