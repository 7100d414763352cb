import {
  IconBook2,
  IconCode,
  IconHome,
  IconMessageChatbot,
  IconPhone,
  IconPhoneCall,
  IconSettings,
  IconSpeakerphone,
  IconTool,
  IconWebhook,
  type TablerIcon,
} from '@tabler/icons-react';
import type { LinkProps } from '@tanstack/react-router';

export type NavItem = {
  to: NonNullable<LinkProps['to']>;
  label: string;
  icon: TablerIcon;
  /** `g` and then this key. */
  key: string;
};

/** The places of the navigation, in groups. */
export const NAV: readonly (readonly NavItem[])[] = [
  [{ to: '/', label: 'Home', icon: IconHome, key: 'h' }],
  [
    { to: '/assistants', label: 'Assistants', icon: IconMessageChatbot, key: 'a' },
    { to: '/tools', label: 'Tools', icon: IconTool, key: 't' },
    { to: '/knowledge', label: 'Knowledge', icon: IconBook2, key: 'k' },
    { to: '/numbers', label: 'Numbers', icon: IconPhone, key: 'n' },
  ],
  [
    { to: '/calls', label: 'Calls', icon: IconPhoneCall, key: 'c' },
    { to: '/campaigns', label: 'Campaigns', icon: IconSpeakerphone, key: 'm' },
  ],
  [
    { to: '/webhooks', label: 'Webhooks', icon: IconWebhook, key: 'w' },
    { to: '/developers', label: 'Developers', icon: IconCode, key: 'd' },
    { to: '/settings', label: 'Settings', icon: IconSettings, key: 's' },
  ],
];

export const NAV_ITEMS = NAV.flat();
