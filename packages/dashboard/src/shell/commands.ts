import { useMantineColorScheme } from '@mantine/core';
import {
  IconBook,
  IconKey,
  IconKeyboard,
  IconMoon,
  IconSun,
  IconUserPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import type { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useRole } from '../components/role-gate.tsx';
import { NAV_ITEMS } from './nav.ts';
import { overlay } from './overlay.ts';

export type Command = {
  /** Of a resource, whose label another one may have too. */
  id?: string;
  label: string;
  group: string;
  icon: TablerIcon;
  run: () => void;
  keywords?: string;
};

/** The commands of the list: every place, and what is done often. */
export function useCommands(navigate: ReturnType<typeof useNavigate>): readonly Command[] {
  const { setColorScheme } = useMantineColorScheme();
  const { isAllowed: isAdmin } = useRole('admin');
  return useMemo(
    () => [
      ...NAV_ITEMS.map(({ to, label, icon }) => ({
        label,
        icon,
        group: 'Go to',
        run: () => void navigate({ to }),
      })),
      ...(isAdmin
        ? [
            {
              label: 'Create an API key',
              group: 'Developers',
              icon: IconKey,
              run: () => void navigate({ to: '/developers', search: { dialog: 'create' } }),
            },
            {
              label: 'Invite a member',
              group: 'Settings',
              keywords: 'person team user',
              icon: IconUserPlus,
              run: () => void navigate({ to: '/settings', search: { tab: 'members', dialog: 'invite' } }),
            },
          ]
        : []),
      {
        label: 'API reference',
        group: 'Developers',
        keywords: 'docs documentation',
        icon: IconBook,
        run: () => void window.open('/docs', '_blank', 'noopener'),
      },
      { label: 'Light appearance', group: 'Theme', icon: IconSun, run: () => setColorScheme('light') },
      { label: 'Dark appearance', group: 'Theme', icon: IconMoon, run: () => setColorScheme('dark') },
      { label: 'Keyboard shortcuts', group: 'Help', icon: IconKeyboard, run: () => overlay.set('shortcuts') },
    ],
    [navigate, setColorScheme, isAdmin],
  );
}
