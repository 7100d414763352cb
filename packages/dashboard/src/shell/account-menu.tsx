import { Menu, SegmentedControl, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import {
  IconDeviceDesktop,
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
} from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { forgetSession, useSession } from '../app/session.ts';
import { overlay } from './overlay.ts';
import styles from './shell.module.css';

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
          <ColorScheme />
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      aria-label="Appearance"
      value={colorScheme}
      onChange={setColorScheme}
      data={SCHEMES.map(({ value, label, icon: Icon }) => ({
        value,
        label: (
          <span className={styles.schemeLabel} title={label}>
            <Icon size={16} aria-hidden="true" />
            <span className="visually-hidden">{label}</span>
          </span>
        ),
      }))}
    />
  );
}
