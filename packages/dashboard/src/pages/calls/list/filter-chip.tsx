import { Button, CloseButton, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import styles from './filter-bar.module.css';

type Props = {
  label: string;
  /** What is chosen, in words; undefined: nothing. */
  value: string | undefined;
  onClear: () => void;
  children: ReactNode;
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
            className={styles.chipButton}
            rightSection={<IconChevronDown size={13} aria-hidden />}
            onClick={toggle}
          >
            {label}
            {value === undefined ? null : <strong className={styles.chipValue}>{value}</strong>}
          </Button>
        </Popover.Target>
        {value === undefined ? null : (
          <CloseButton size="sm" aria-label={`Remove the filter ${label}`} onClick={onClear} />
        )}
      </span>
      <Popover.Dropdown p="sm">{children}</Popover.Dropdown>
    </Popover>
  );
}
