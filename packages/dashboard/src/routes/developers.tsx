import { createRoute } from '@tanstack/react-router';
import { oneOf } from '../app/search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const developersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/developers',
  validateSearch: (search: Record<string, unknown>): { dialog?: 'create' | undefined } => ({
    dialog: oneOf(['create'], search.dialog),
  }),
  component: lazyPage(() => import('../pages/developers/developers-page.tsx'), 'DevelopersPage'),
});

export const developersRoutes = [developersRoute];
