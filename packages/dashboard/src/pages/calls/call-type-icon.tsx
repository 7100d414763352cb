import type { CallType } from '@parley/contracts';
import { IconPhoneIncoming, IconPhoneOutgoing, IconWorld } from '@tabler/icons-react';
import { TYPE_WORDS } from './parties.ts';

const ICONS = { inbound: IconPhoneIncoming, outbound: IconPhoneOutgoing, web: IconWorld };

export function CallTypeIcon({ type, size = 16 }: { type: CallType; size?: number }) {
  const Icon = ICONS[type];
  return <Icon size={size} role="img" aria-label={TYPE_WORDS[type]} style={{ flex: 'none' }} />;
}
