import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { onClose: () => void; title: ReactNode; children: ReactNode };

/** The navigation of narrow windows. */
export function NavDrawer({ onClose, title, children }: Props) {
  return (
    <Drawer opened onClose={onClose} size={264} title={title} padding="sm">
      {children}
    </Drawer>
  );
}
