import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles.css';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { cspNonce } from './app/csp-nonce.ts';
import { Providers } from './app/providers.tsx';
import { titleCutTexts } from './app/title-cut-texts.ts';
import { router } from './router.tsx';

// Read by react-remove-scroll of Mantine's dialogs, for its own style element.
Object.assign(globalThis, { __webpack_nonce__: cspNonce() });

titleCutTexts();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Providers>
      <RouterProvider router={router} />
    </Providers>
  </StrictMode>,
);

import('./drafts/drop-old-drafts.ts').then(({ dropOldDrafts }) => dropOldDrafts()).catch(() => undefined);
