import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

type Props = {
  icon?: ReactNode;
  title: string;
  /** What it is for, and what to do next. */
  children: ReactNode;
  actions?: ReactNode;
};

/** In place of content that does not exist yet: says what belongs there and how it gets there. */
export function EmptyState({ icon, title, children, actions }: Props) {
  return (
    <div className={styles.empty}>
      {icon ? <div className={styles.icon}>{icon}</div> : null}
      <Title order={2} size="md">
        {title}
      </Title>
      <Text c="dimmed" size="sm" maw={460} component="div">
        {children}
      </Text>
      {actions ? (
        <Group gap="xs" mt={8} justify="center">
          {actions}
        </Group>
      ) : null}
    </div>
  );
}
