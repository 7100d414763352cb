import { Menu } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { cloneElement, Suspense } from 'react';
import { type MenuButton, useOpenAtOnce } from '../components/late-menu.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import { overlay } from './overlay.ts';
import styles from './shell.module.css';

const ColorScheme = lazyComponent(() => import('./color-scheme.tsx'), 'ColorScheme');

type Props = { button: MenuButton; onSignOut: () => void };

export function AccountItems({ button, onSignOut }: Props) {
  const ref = useOpenAtOnce();
  return (
    <Menu width={232} position="top-start">
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
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
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={onSignOut}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
