import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from './shell.tsx';

const assistantsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assistants',
  component: lazyRouteComponent(() => import('../pages/assistants/assistants-page.tsx'), 'AssistantsPage'),
});

export const assistantsRoutes = [assistantsRoute];
