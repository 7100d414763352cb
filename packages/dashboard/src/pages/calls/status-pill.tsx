import type { ReactNode } from 'react';
import styles from './status-pill.module.css';

export type PillTone = 'good' | 'bad' | 'live' | 'warn' | 'none';

/** A state in words, with a dot of its color; the words are readable in both schemes. */
export function StatusPill({ tone, children }: { tone: PillTone; children: ReactNode }) {
  return (
    <span className={styles.pill} data-tone={tone}>
      {children}
    </span>
  );
}
