import { Loader, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { cloneElement, type ReactNode, Suspense, useEffect, useRef } from 'react';
import { type MenuButton, useOpenAtOnce } from '../late-menu.tsx';

type Props = { button: MenuButton; children: ReactNode | ((close: () => void) => ReactNode) };

/** The fields of a `FilterChip`. */
export function FilterPopover({ button, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const ref = useOpenAtOnce();
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => (opened ? undefined : close())}
      trapFocus
      returnFocus
      shadow="md"
      position="bottom-start"
    >
      <Popover.Target>{cloneElement(button, { ref, onClick: toggle })}</Popover.Target>
      <Popover.Dropdown p="sm">
        <Suspense fallback={<Loader size="xs" aria-label="Loading" />}>
          <Panel>{typeof children === 'function' ? children(close) : children}</Panel>
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The popover looks for a field to focus before those that are loaded are there. */
function Panel({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = box.current;
    if (panel?.contains(document.activeElement)) return;
    panel?.querySelector<HTMLElement>('[data-autofocus], input, button')?.focus();
  }, []);
  return <div ref={box}>{children}</div>;
}
