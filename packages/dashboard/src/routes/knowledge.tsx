import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from './shell.tsx';

const knowledgeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/knowledge',
  component: lazyRouteComponent(() => import('../pages/knowledge/knowledge-page.tsx'), 'KnowledgePage'),
});

export const knowledgeRoutes = [knowledgeRoute];
