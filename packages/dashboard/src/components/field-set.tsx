import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './field-set.module.css';

type Props = { disabled: boolean; maxWidth?: number; gap?: 'sm' | 'md'; children: ReactNode };

/** Fields that are disabled together, such as for a role that may not change them. */
export function FieldSet({ disabled, maxWidth, gap = 'md', children }: Props) {
  return (
    <fieldset disabled={disabled} className={styles.fields} style={maxWidth ? { maxWidth } : undefined}>
      <Stack gap={gap}>{children}</Stack>
    </fieldset>
  );
}
