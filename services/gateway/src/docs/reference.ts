import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { App } from '@parley/kit/http';
import { createStaticBody, type StaticBody, serveFile } from './serve-static.ts';

const require = createRequire(import.meta.url);

/** The bundle would load this logo from its vendor; nothing may be loaded from elsewhere. */
const FOREIGN_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API</title>
<link rel="icon" href="data:,">
<style>body { margin: 0; }</style>
</head>
<body>
<main id="reference"><noscript>This page needs JavaScript to show <a href="/openapi.json">openapi.json</a>.</noscript></main>
<script src="/docs/redoc.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

const SCRIPT = `Redoc.init('/openapi.json', {
  hideDownloadButton: false,
  nativeScrollbars: true,
  requiredPropsFirst: true,
  jsonSampleExpandLevel: 3,
  scrollYOffset: 0,
  theme: {
    typography: {
      fontFamily: 'system-ui, sans-serif',
      headings: { fontFamily: 'system-ui, sans-serif' },
      code: { fontFamily: 'ui-monospace, monospace' },
    },
  },
}, document.getElementById('reference'));
`;

/** Only scripts from this origin, none inline. Redoc needs inline styles, and a worker for its search. */
const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** `GET /docs`: the API reference, self-contained (ADR 25). */
export function mountReference(app: App): void {
  const html = 'text/html; charset=utf-8';
  const script = 'text/javascript; charset=utf-8';
  const serve = (path: string, contentType: string, body: StaticBody): void =>
    serveFile(app, path, body, { ...SECURITY_HEADERS, 'content-type': contentType });
  serve(
    '/docs',
    html,
    createStaticBody(() => PAGE),
  );
  serve(
    '/docs/page.js',
    script,
    createStaticBody(() => SCRIPT),
  );
  serve('/docs/redoc.js', script, createStaticBody(readBundle));
}

async function readBundle(): Promise<Buffer> {
  const bundle = await readFile(require.resolve('redoc/bundles/redoc.standalone.js'), 'utf8');
  return Buffer.from(bundle.replaceAll(FOREIGN_LOGO, 'data:,'));
}
