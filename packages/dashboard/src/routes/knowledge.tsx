import { createRoute } from '@tanstack/react-router';
import { text } from '../app/search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const knowledgeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({
    search: text(search.search),
  }),
  component: lazyPage(() => import('../pages/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
});

const baseRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge/$id',
  component: lazyPage(() => import('../pages/knowledge/base-page.tsx'), 'BasePage'),
});

export const knowledgeRoutes = [knowledgeRoute, baseRoute];
