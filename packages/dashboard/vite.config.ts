import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './build/precompress.ts';

/** The stack that `vite dev` works with. */
const PLATFORM = process.env.PARLEY_URL ?? 'http://127.0.0.1:8080';
const FORWARDED = [
  '/dashboard/api',
  '/v1',
  '/v2',
  '/recordings',
  '/widget',
  '/widget.js',
  '/docs',
  '/openapi.json',
];

/**
 * Small modules that most pages import, also one file: a browser sends only six requests at a time to a server without TLS. Larger ones
 * stay out, since pages that don't use them would load them too.
 */
const OF_MOST_PAGES = [
  /src\/app\/(format-[a-z]+|zone)\.ts$/,
  /src\/components\/(changed-note|empty-state|money|outdated-note|phone|role-gate|section|status-dot|text-link|time|tooltip)\.tsx$/,
  /src\/pages\/calls\/(links|status-pill)\.tsx$/,
  /@mantine\/core\/esm\/components\/(ActionIcon|Badge|Skeleton|Stack|TextInput)\//,
  /@tanstack\/react-query\/.*\/(useMutation|useQueries)\.js$/,
  /\/Icon(Check|ChevronDown|Dots|Download|Plus|Search|Trash|X)\.mjs$/,
];

export default defineConfig({
  base: '/dashboard/',
  // Replaced by the gateway in each response (ADR 60).
  html: { cspNonce: '__CSP_NONCE__' },
  plugins: [react(), precompress()],
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  build: {
    target: ['chrome111', 'firefox114', 'safari16.4'],
    // The policy of the page allows no `data:` scripts, and fonts as files alone.
    assetsInlineLimit: 0,
    manifest: 'manifest.json',
    reportCompressedSize: false,
    // Together they are small, and a file of styles that could not be loaded is not requested again.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // What every page imports is one file, which compresses better than dozens.
        codeSplitting: {
          groups: [
            { name: 'main', test: /dashboard\/src\/main\.tsx$/, priority: 1 },
            { name: 'shared', test: (id) => OF_MOST_PAGES.some((pattern) => pattern.test(id)) },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    // The gateway compares `Origin` and `Host`.
    proxy: Object.fromEntries(FORWARDED.map((path) => [path, { target: PLATFORM, changeOrigin: false }])),
  },
});
