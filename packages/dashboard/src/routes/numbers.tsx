import { createRoute } from '@tanstack/react-router';
import { text } from '../app/search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const numbersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/numbers',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({
    search: text(search.search),
  }),
  component: lazyPage(() => import('../pages/numbers/numbers-page.tsx'), 'NumbersPage'),
});

const numberRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/numbers/$id',
  component: lazyPage(() => import('../pages/numbers/number-page.tsx'), 'NumberPage'),
});

export const numbersRoutes = [numbersRoute, numberRoute];
