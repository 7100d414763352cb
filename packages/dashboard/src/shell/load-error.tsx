import { Anchor } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorNote } from '../components/error-note.tsx';
import { Page } from '../components/page.tsx';

/** In place of a page that could not be shown. */
export function LoadError({ error, reset }: ErrorComponentProps) {
  const queryClient = useQueryClient();
  return (
    <Page title="Something went wrong">
      <ErrorNote
        error={error}
        onRetry={() => {
          void queryClient.resetQueries();
          reset();
        }}
      />
      <Anchor href="/dashboard/" size="sm" mt="md" display="inline-block">
        Go to the start page
      </Anchor>
    </Page>
  );
}
