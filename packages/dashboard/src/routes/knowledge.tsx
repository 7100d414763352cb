import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { text } from '../app/search.ts';
import { shellRoute } from './shell.tsx';

const knowledgeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({
    search: text(search.search),
  }),
  component: lazyRouteComponent(() => import('../pages/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
});

const baseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge/$id',
  component: lazyRouteComponent(() => import('../pages/knowledge/base-page.tsx'), 'BasePage'),
});

export const knowledgeRoutes = [knowledgeRoute, baseRoute];
