import { Anchor, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { isLoadFailure } from '../app/describe-error.ts';
import { ErrorNote } from '../components/error-note.tsx';
import styles from './shell.module.css';

/** In place of a page that could not be shown. */
export function LoadError({ error, reset }: ErrorComponentProps) {
  const queryClient = useQueryClient();
  if (isLoadFailure(error))
    return (
      <Stack className={styles.notice}>
        <ErrorNote
          error={error}
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
