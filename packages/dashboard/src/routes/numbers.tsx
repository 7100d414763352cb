import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from './shell.tsx';

const numbersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/numbers',
  component: lazyRouteComponent(() => import('../pages/numbers/numbers-page.tsx'), 'NumbersPage'),
});

export const numbersRoutes = [numbersRoute];
