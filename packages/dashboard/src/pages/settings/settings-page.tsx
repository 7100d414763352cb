import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { oneOf } from '../../app/search.ts';
import { Page } from '../../components/page.tsx';
import styles from './settings.module.css';
import { SETTINGS_TABS, type SettingsTab, TAB_NAMES } from './settings-tabs.ts';

const route = getRouteApi('/shell/settings');

const PANELS: Record<SettingsTab, ReturnType<typeof lazy>> = {
  workspace: lazy(() =>
    import('./workspace-panel.tsx').then(({ WorkspacePanel: panel }) => ({ default: panel })),
  ),
  members: lazy(() => import('./members-panel.tsx').then(({ MembersPanel: panel }) => ({ default: panel }))),
  'do-not-call': lazy(() =>
    import('./do-not-call-panel.tsx').then(({ DoNotCallPanel: panel }) => ({ default: panel })),
  ),
  retention: lazy(() =>
    import('./retention-panel.tsx').then(({ RetentionPanel: panel }) => ({ default: panel })),
  ),
  audit: lazy(() => import('./audit-panel.tsx').then(({ AuditPanel: panel }) => ({ default: panel }))),
  account: lazy(() => import('./account-panel.tsx').then(({ AccountPanel: panel }) => ({ default: panel }))),
};

export function SettingsPage() {
  const { tab = 'workspace' } = route.useSearch();
  const navigate = route.useNavigate();
  const Panel = PANELS[tab];
  return (
    <Page title="Settings">
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ search: { tab: oneOf(SETTINGS_TABS, value) } })}
        keepMounted={false}
      >
        <Tabs.List className={styles.tabs} aria-label="Settings">
          {SETTINGS_TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {TAB_NAMES[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Suspense>
            <Panel />
          </Suspense>
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
