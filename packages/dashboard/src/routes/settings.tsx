import { createRoute } from '@tanstack/react-router';
import { oneOf } from '../app/search.ts';
import { SETTINGS_TABS, type SettingsTab } from '../pages/settings/settings-tabs.ts';
import { lazyPage } from '../shell/lazy-page.tsx';
import { shellRoute } from './shell.tsx';

const settingsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  validateSearch: (
    search: Record<string, unknown>,
  ): { tab?: SettingsTab | undefined; dialog?: 'invite' | undefined } => ({
    tab: oneOf(SETTINGS_TABS, search.tab),
    dialog: oneOf(['invite'], search.dialog),
  }),
  component: lazyPage(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

export const settingsRoutes = [settingsRoute];
