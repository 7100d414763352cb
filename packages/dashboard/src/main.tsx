import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { type AnyRoute, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { cspNonce } from './app/csp-nonce.ts';
import { isLoadFailure } from './app/describe-error.ts';
import { Providers } from './app/providers.tsx';
import { titleCutTexts } from './app/title-cut-texts.ts';
import { router } from './router.tsx';
import { requestSession, shellRoute } from './routes/shell.tsx';

// Read by react-remove-scroll of Mantine's dialogs, for its own style element.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

titleCutTexts();
// The session is requested first, then the scripts of the page: a browser sends only six requests at a time to a server without TLS. If a
// script fails, the page reports it.
const routes: Readonly<Record<string, AnyRoute>> = router.routesById;
const opened = router.matchRoutes(router.latestLocation).map(({ routeId }) => routes[routeId]);
if (opened.includes(shellRoute)) requestSession();
for (const route of opened) if (route) router.loadRouteChunk(route)?.catch(() => undefined);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root, {
  onCaughtError: (error) => {
    // Without a network it is expected, and the page says so (`lazyComponent`).
    if (!isLoadFailure(error)) console.error(error);
  },
}).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);

import('./drafts/drop-old-drafts.ts').then(({ dropOldDrafts }) => dropOldDrafts()).catch(() => undefined);
