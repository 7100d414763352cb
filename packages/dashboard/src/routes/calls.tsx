import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from './shell.tsx';

const callsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls',
  component: lazyRouteComponent(() => import('../pages/calls/calls-page.tsx'), 'CallsPage'),
});

export const callsRoutes = [callsRoute];
