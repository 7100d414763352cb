import { Button, CloseButton, Loader, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import styles from './filter-chip.module.css';

type Props = {
  label: string;
  /** What is chosen, in words; undefined: nothing. */
  value: string | undefined;
  onClear: () => void;
  /** The fields, which may be `lazy`. `close` is for those that are done with one choice. */
  children: ReactNode | ((close: () => void) => ReactNode);
};

/** A filter: its name until something is chosen, then what is chosen and a way to remove it. */
export function FilterChip({ label, value, onClear, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <Popover
      opened={isOpen}
      onChange={(opened) => (opened ? undefined : close())}
      trapFocus
      shadow="md"
      position="bottom-start"
    >
      <span className={styles.chip} data-chosen={value !== undefined || undefined}>
        <Popover.Target>
          <Button
            variant="subtle"
            color="gray"
            size="xs"
            className={styles.button}
            rightSection={<IconChevronDown size={13} aria-hidden />}
            onClick={toggle}
          >
            {label}
            {value === undefined ? null : <strong className={styles.value}>{value}</strong>}
          </Button>
        </Popover.Target>
        {value === undefined ? null : (
          <CloseButton size="sm" aria-label={`Remove the filter ${label}`} onClick={onClear} />
        )}
      </span>
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
