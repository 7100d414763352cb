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

// Read by react-remove-scroll of Mantine's dialogs, for its own style element.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

titleCutTexts();
// The scripts of the page that is opened are loaded while its session is requested. If one fails, the page reports it.
const routes: Readonly<Record<string, AnyRoute>> = router.routesById;
for (const { routeId } of router.matchRoutes(router.latestLocation)) {
  const route = routes[routeId];
  if (route) router.loadRouteChunk(route)?.catch(() => undefined);
}

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
