import { Button, CloseButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { LateMenu } from '../late-menu.tsx';
import { lazyComponent } from '../lazy-component.tsx';
import styles from './filter-chip.module.css';

const load = () => import('./filter-popover.tsx');
const FilterPopover = lazyComponent(load, 'FilterPopover');

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
  const button = (
    <Button
      variant="subtle"
      color="gray"
      size="xs"
      className={styles.button}
      rightSection={<IconChevronDown size={13} aria-hidden />}
    >
      {label}
      {value === undefined ? null : <strong className={styles.value}>{value}</strong>}
    </Button>
  );
  return (
    <span className={styles.chip} data-chosen={value !== undefined || undefined}>
      <LateMenu button={button} popup="dialog" load={load}>
        <FilterPopover button={button}>{children}</FilterPopover>
      </LateMenu>
      {value === undefined ? null : (
        <CloseButton size="sm" aria-label={`Remove the filter ${label}`} onClick={onClear} />
      )}
    </span>
  );
}
