import type { ReactNode } from 'react';
import styles from './status-dot.module.css';

type Props = { tone: 'good' | 'warn' | 'bad' | 'off'; children: ReactNode };

/** A state in words, with a color that repeats it. */
export function StatusDot({ tone, children }: Props) {
  return (
    <span className={styles.status} data-tone={tone}>
      {children}
    </span>
  );
}
