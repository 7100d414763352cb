import { createRoute } from '@tanstack/react-router';
import { queryClient } from '../app/client.ts';
import { oneOf } from '../app/search.ts';
import { CALL_TABS, type CallTab } from '../pages/calls/call/call-tabs.ts';
import { readCallSearch } from '../pages/calls/list/call-search.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const callsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls',
  validateSearch: readCallSearch,
  // Loaded with the page. If it cannot be loaded, neither can the page, which reports that.
  loader: ({ location }) =>
    import('../pages/calls/list/call-queries.ts').then(
      ({ requestCalls }) => requestCalls(queryClient, readCallSearch(location.search)),
      () => undefined,
    ),
  // Links that the pointer passes over load only the page's script: a person may send 600 requests a minute [general.27].
  preload: false,
  component: lazyPage(() => import('../pages/calls/list/calls-page.tsx'), 'CallsPage'),
});

const callRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/calls/$callId',
  validateSearch: (search: Record<string, unknown>): { tab?: CallTab | undefined } => ({
    tab: oneOf(CALL_TABS, search.tab),
  }),
  component: lazyPage(() => import('../pages/calls/call/call-page.tsx'), 'CallPage'),
});

export const callsRoutes = [callsRoute, callRoute];
