import { Anchor, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorNote } from '../components/error-note.tsx';
import styles from './shell.module.css';

/** In place of a page that could not be shown. A new version of the dashboard replaces the files of an old one. */
export function LoadError({ error, reset }: ErrorComponentProps) {
  const queryClient = useQueryClient();
  const isOutdated = /dynamically imported module|module script/i.test(String(error));
  if (isOutdated)
    return (
      <Stack className={styles.notice}>
        <ErrorNote
          error={new Error('A newer version of the dashboard is available, or the network is down.')}
          title="This page could not be loaded"
          onRetry={() => window.location.reload()}
        />
      </Stack>
    );
  return (
    <Stack className={styles.notice}>
      <ErrorNote
        error={error}
        onRetry={() => {
          void queryClient.resetQueries();
          reset();
        }}
      />
      <Anchor href="/dashboard/" size="sm">
        Go to the start page
      </Anchor>
    </Stack>
  );
}
