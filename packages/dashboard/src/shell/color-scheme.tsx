import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import styles from './shell.module.css';

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
] as const;

export function ColorScheme() {
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
