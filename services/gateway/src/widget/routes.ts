import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type App, contextOf } from '@parley/kit/http';
import { z } from 'zod';
import { createStaticBody, type StaticBody, serveFile } from '../docs/serve-static.ts';
import { demoPage } from './demo-page.ts';

const require = createRequire(import.meta.url);

const SCRIPT = 'text/javascript; charset=utf-8';

/** Pages of every origin may load these files, including isolated pages and pages that check integrity. New versions arrive within
 * minutes. */
const PUBLIC_FILE = {
  'content-type': SCRIPT,
  'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};

/** The policy of a strict page that embeds the widget. */
const DEMO_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};

type Options = { isDevelopment: boolean; demoFile: string | undefined };

/** `/widget.js` and what it loads [web-calls.9]; the demo page only in development. */
export function mountWidget(app: App, { isDevelopment, demoFile }: Options): void {
  serveFile(app, '/widget.js', bundle(require.resolve('@parley/web/widget.js')), PUBLIC_FILE);
  serveFile(app, '/widget/worklet.js', bundle(require.resolve('@parley/web/worklet.js')), PUBLIC_FILE);
  if (!isDevelopment) return;
  app.router.get('/widget/demo', async (req, res) => {
    contextOf(req).route = '/widget/demo';
    res.set(DEMO_HEADERS).end(demoPage(await publicKeyIn(demoFile)));
  });
  serveFile(app, '/widget/demo.js', bundle(require.resolve('@parley/web/demo.js')), PUBLIC_FILE);
}

/** Written when the first workspace is created, which may be after the start. */
async function publicKeyIn(file: string | undefined): Promise<string> {
  if (file === undefined) return '';
  const keys = z.object({ public_key: z.string() });
  try {
    return keys.parse(JSON.parse(await readFile(file, 'utf8'))).public_key;
  } catch {
    return '';
  }
}

function bundle(path: string): StaticBody {
  return createStaticBody(() => readFile(path));
}
