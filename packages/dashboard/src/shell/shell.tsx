import { Burger, Kbd, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSession } from '../app/session.ts';
import { lazyDialog } from '../components/lazy-component.tsx';
import { useLiveUpdates } from '../live/use-live-updates.ts';
import { AccountMenu } from './account-menu.tsx';
import { MODIFIER } from './modifier.ts';
import { overlay, useOverlay } from './overlay.ts';
import { SessionEnded } from './session-ended.tsx';
import styles from './shell.module.css';
import { SideNav } from './side-nav.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';
import { useKeptFocus } from './use-kept-focus.ts';
import { useSessionCheck } from './use-session-check.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { WorkspaceSwitch } from './workspace-switch.tsx';

const NavDrawer = lazyDialog(() => import('./nav-drawer.tsx'), 'NavDrawer');
const CommandList = lazyDialog(() => import('./command-list.tsx'), 'CommandList');
const ShortcutHelp = lazyDialog(() => import('./shortcut-help.tsx'), 'ShortcutHelp');

/** What surrounds every page of a signed-in person: navigation, workspace, account, commands and shortcuts. */
export function Shell() {
  const { person, workspace } = useSession();
  const [isNavOpen, nav] = useDisclosure();
  const opened = useOverlay();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useShortcuts();
  useLiveUpdates();
  useSessionCheck();
  useHeadingFocus();
  useKeptFocus();
  useEffect(nav.close, [pathname]);
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <aside className={styles.side}>
        <SideContent />
      </aside>
      <header className={styles.bar}>
        <Burger
          opened={isNavOpen}
          onClick={nav.toggle}
          size="sm"
          lineSize={2}
          transitionDuration={0}
          aria-label="Navigation"
        />
        <Brand />
      </header>
      {isNavOpen ? (
        <NavDrawer onClose={nav.close} title={<Brand />}>
          <SideContent />
        </NavDrawer>
      ) : null}
      <main id="main" className={styles.main} tabIndex={-1}>
        {/* Another person, or another workspace, begins with nothing of the former one's pages. */}
        <Outlet key={`${person.id} ${workspace.workspace_id}`} />
      </main>
      <SessionEnded />
      {opened === 'commands' ? <CommandList onClose={closeOverlay} /> : null}
      {opened === 'shortcuts' ? <ShortcutHelp onClose={closeOverlay} /> : null}
    </div>
  );
}

const closeOverlay = () => overlay.set(undefined);

function Brand() {
  return (
    <span className={styles.brand}>
      <img src="/dashboard/favicon.svg" alt="" width={22} height={22} />
      Parley
    </span>
  );
}

function SideContent() {
  return (
    <div className={styles.sideContent}>
      <WorkspaceSwitch />
      <UnstyledButton className={styles.find} onClick={() => overlay.set('commands')}>
        <IconSearch size={15} />
        <span>Find or do</span>
        <Kbd size="xs">{MODIFIER === '⌘' ? '⌘K' : 'Ctrl K'}</Kbd>
      </UnstyledButton>
      <SideNav />
      <AccountMenu />
    </div>
  );
}
