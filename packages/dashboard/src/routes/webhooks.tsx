import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const webhooksRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/webhooks',
  component: lazyPage(() => import('../pages/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

export const webhooksRoutes = [webhooksRoute];
