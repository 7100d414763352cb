import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf } from '../app/search.ts';
import { shellRoute } from './shell.tsx';

const developersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/developers',
  validateSearch: (search: Record<string, unknown>): { dialog?: 'create' | undefined } => ({
    dialog: oneOf(['create'], search.dialog),
  }),
  component: lazyRouteComponent(() => import('../pages/developers/developers-page.tsx'), 'DevelopersPage'),
});

export const developersRoutes = [developersRoute];
