import { Menu, UnstyledButton } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { forgetSession, useSession } from '../app/session.ts';
import { ConfirmAction } from '../components/confirm-action.tsx';
import { hasDrafts } from '../drafts/draft-storage.ts';
import { overlay } from './overlay.ts';
import styles from './shell.module.css';

const ColorScheme = lazy(() =>
  import('./color-scheme.tsx').then(({ ColorScheme: control }) => ({ default: control })),
);

export function AccountMenu() {
  const { person } = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    await api.session.signOut();
    // The question about drafts has been answered.
    await navigate({ to: '/sign-in', ignoreBlocker: true });
    forgetSession();
  };
  const signOutNow = () => signOut().catch((error: unknown) => notifyError(error, 'You are still signed in'));
  return (
    <ConfirmAction
      title="Sign out and discard your drafts?"
      confirmLabel="Sign out"
      onConfirm={signOut}
      trigger={(ask) => (
        <Menu width={232} position="top-start">
          <Menu.Target>
            <UnstyledButton className={styles.account}>
              <span className="visually-hidden">Account</span>
              <span className={styles.avatar} aria-hidden="true">
                {person.email.slice(0, 1).toUpperCase()}
              </span>
              <span className="truncate">{person.email}</span>
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconUser size={16} />}
              renderRoot={(props) => <Link to="/settings" search={{ tab: 'account' }} {...props} />}
            >
              Your account
            </Menu.Item>
            <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={() => overlay.set('shortcuts')}>
              Keyboard shortcuts
            </Menu.Item>
            <Menu.Divider />
            <Menu.Label>Appearance</Menu.Label>
            <div className={styles.scheme}>
              <Suspense>
                <ColorScheme />
              </Suspense>
            </div>
            <Menu.Divider />
            <Menu.Item
              leftSection={<IconLogout size={16} />}
              onClick={() => (hasDrafts(person.id) ? ask() : void signOutNow())}
            >
              Sign out
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    >
      What you have changed but not saved, such as lists of contacts, is kept in this browser. When you sign
      out it is removed, so that nobody else finds it here.
    </ConfirmAction>
  );
}
