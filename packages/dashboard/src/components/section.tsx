import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './section.module.css';

type Props = {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for lists and tables. */
  flush?: boolean;
  children: ReactNode;
};

/** A card of a page with its own heading. */
export function Section({ title, description, actions, flush = false, children }: Props) {
  return (
    <section className={`card ${styles.section}`} aria-label={title}>
      <header className={styles.header}>
        <div>
          <Title order={2} size="sm">
            {title}
          </Title>
          {description ? (
            <Text c="dimmed" size="sm" mt={2} maw={680}>
              {description}
            </Text>
          ) : null}
        </div>
        {actions ? <div className={styles.actions}>{actions}</div> : null}
      </header>
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  );
}
