import { Tabs } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { oneOf } from '../../app/search.ts';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { Page } from '../../components/page.tsx';
import styles from './settings.module.css';
import { SETTINGS_TABS, type SettingsTab, TAB_NAMES } from './settings-tabs.ts';

const route = getRouteApi('/shell/settings');

const PANELS: Record<SettingsTab, ComponentType> = {
  workspace: lazyComponent(() => import('./workspace-panel.tsx'), 'WorkspacePanel'),
  members: lazyComponent(() => import('./members-panel.tsx'), 'MembersPanel'),
  'do-not-call': lazyComponent(() => import('./do-not-call-panel.tsx'), 'DoNotCallPanel'),
  retention: lazyComponent(() => import('./retention-panel.tsx'), 'RetentionPanel'),
  audit: lazyComponent(() => import('./audit-panel.tsx'), 'AuditPanel'),
  account: lazyComponent(() => import('./account-panel.tsx'), 'AccountPanel'),
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
