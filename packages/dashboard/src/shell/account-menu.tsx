import { Menu, UnstyledButton } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { forgetSession, useSession } from '../app/session.ts';
import { overlay } from './overlay.ts';
import styles from './shell.module.css';

const ColorScheme = lazy(() =>
  import('./color-scheme.tsx').then(({ ColorScheme: control }) => ({ default: control })),
);

export function AccountMenu() {
  const { person } = useSession();
  const navigate = useNavigate();
  const signOut = async () => {
    try {
      await api.session.signOut();
      forgetSession();
      await navigate({ to: '/sign-in' });
    } catch (error) {
      notifyError(error, 'You are still signed in');
    }
  };
  return (
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
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
