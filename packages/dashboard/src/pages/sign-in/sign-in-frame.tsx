import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import styles from './sign-in-frame.module.css';

type Props = { title: string; description?: ReactNode; children: ReactNode; footer?: ReactNode };

/** The frame of the pages outside of a session. */
export function SignInFrame({ title, description, children, footer }: Props) {
  useEffect(() => {
    document.title = `${title} · Parley`;
  }, [title]);
  return (
    <main className={styles.frame}>
      <div className={styles.brand}>
        <img src="/dashboard/favicon.svg" alt="" width={36} height={36} />
        <span>Parley</span>
      </div>
      <div className={`card ${styles.card}`}>
        <Title order={1} size="h3">
          {title}
        </Title>
        {description ? (
          <Text c="dimmed" size="sm" mt={4}>
            {description}
          </Text>
        ) : null}
        <div className={styles.content}>{children}</div>
      </div>
      {footer ? <div className={styles.footer}>{footer}</div> : null}
    </main>
  );
}
