import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  component: lazyPage(() => import('../pages/home/home-page.tsx'), 'HomePage'),
});

export const homeRoutes = [homeRoute];
