import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Page } from '../../../components/page.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { assistantQuery } from '../queries.ts';
import { AssistantEditor } from './assistant-editor.tsx';

const route = getRouteApi('/shell/assistants/$id');

/** The editor of one assistant, once it is read. */
export function AssistantPage() {
  const { id } = route.useParams();
  const assistant = useQuery(assistantQuery(id));
  if (assistant.data) return <AssistantEditor key={id} current={assistant.data} failure={assistant.error} />;
  return (
    <Page
      title="Assistant"
      trail={
        <TextLink to="/assistants" size="sm">
          Assistants
        </TextLink>
      }
    >
      {assistant.isError ? (
        <ErrorNote error={assistant.error} onRetry={() => void assistant.refetch()} />
      ) : (
        <Skeleton height={420} radius="md" />
      )}
    </Page>
  );
}
