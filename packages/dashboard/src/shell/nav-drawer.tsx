import { type ReactNode, useEffect } from 'react';
import { Drawer } from '../components/dialog.tsx';

type Props = { onClose: () => void; title: ReactNode; children: ReactNode };

/** From this width on the navigation is beside the page (`shell.module.css`). */
const WIDE = '(min-width: 861px)';

/** The navigation of narrow windows, which closes when the window becomes wide. */
export function NavDrawer({ onClose, title, children }: Props) {
  useEffect(() => {
    const wide = window.matchMedia(WIDE);
    const onChange = () => {
      if (wide.matches) onClose();
    };
    wide.addEventListener('change', onChange);
    return () => wide.removeEventListener('change', onChange);
  }, [onClose]);
  return (
    <Drawer opened onClose={onClose} size={264} title={title} padding="sm">
      {children}
    </Drawer>
  );
}
