import { createRouter } from '@tanstack/react-router';
import { assistantsRoutes } from './routes/assistants.tsx';
import { callsRoutes } from './routes/calls.tsx';
import { campaignsRoutes } from './routes/campaigns.tsx';
import { developersRoutes } from './routes/developers.tsx';
import { homeRoutes } from './routes/home.tsx';
import { knowledgeRoutes } from './routes/knowledge.tsx';
import { numbersRoutes } from './routes/numbers.tsx';
import { rootRoute } from './routes/root.tsx';
import { settingsRoutes } from './routes/settings.tsx';
import { shellRoute } from './routes/shell.tsx';
import { signInRoutes } from './routes/sign-in.tsx';
import { webhooksRoutes } from './routes/webhooks.tsx';
import { LoadError } from './shell/load-error.tsx';
import { Loading } from './shell/loading.tsx';
import { NotFound } from './shell/not-found.tsx';

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  shellRoute.addChildren([
    ...homeRoutes,
    ...assistantsRoutes,
    ...knowledgeRoutes,
    ...numbersRoutes,
    ...callsRoutes,
    ...campaignsRoutes,
    ...webhooksRoutes,
    ...developersRoutes,
    ...settingsRoutes,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPreloadDelay: 30,
  // Queries decide how fresh data has to be.
  defaultPreloadStaleTime: 0,
  defaultPendingComponent: Loading,
  defaultPendingMs: 250,
  // A page that is there is shown, however short its wait was.
  defaultPendingMinMs: 0,
  defaultErrorComponent: LoadError,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
  // Of the search only what a route's `validateSearch` returns reaches its page.
  search: { strict: true },
});

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can extend that of the library
  interface Register {
    router: typeof router;
  }
}
