import { createRoute } from '@tanstack/react-router';
import { queryClient } from '../app/client.ts';
import { oneOf, text } from '../app/search.ts';
import { TAB_IDS, type TabId } from '../pages/assistants/editor/tabs.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

type ToolsSearch = {
  search?: string | undefined;
  kind?: 'custom' | 'native' | undefined;
  agent?: string | undefined;
};

const assistantsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assistants',
  validateSearch: (search: Record<string, unknown>): { search?: string | undefined } => ({
    search: text(search.search),
  }),
  component: lazyPage(() => import('../pages/assistants/assistants-page.tsx'), 'AssistantsPage'),
});

const assistantRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/assistants/$id',
  validateSearch: (search: Record<string, unknown>): { tab?: TabId | undefined } => ({
    tab: oneOf(TAB_IDS, search.tab),
  }),
  // Loaded with the page. If it cannot be loaded, neither can the page, which reports that.
  loader: ({ params: { id } }) =>
    import('../pages/assistants/queries.ts').then(
      ({ requestAssistant }) => requestAssistant(queryClient, id),
      () => undefined,
    ),
  // Links that the pointer passes over load only the page's script: a person may send 600 requests a minute [general.27].
  preload: false,
  component: lazyPage(() => import('../pages/assistants/editor/assistant-page.tsx'), 'AssistantPage'),
});

const toolsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/tools',
  validateSearch: (search: Record<string, unknown>): ToolsSearch => ({
    search: text(search.search),
    kind: oneOf(['custom', 'native'], search.kind),
    agent: text(search.agent),
  }),
  component: lazyPage(() => import('../pages/tools/tools-page.tsx'), 'ToolsPage'),
});

export const assistantsRoutes = [assistantsRoute, assistantRoute, toolsRoute];
