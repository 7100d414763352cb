import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { isNotFound } from '../../../app/describe-error.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { Page } from '../../../components/page.tsx';
import { TextLink } from '../../../components/text-link.tsx';
import { useGoneDrafts } from '../../../drafts/use-gone-drafts.ts';
import { draftName } from '../model/draft.ts';
import { assistantQuery } from '../queries.ts';
import { AssistantEditor } from './assistant-editor.tsx';

const route = getRouteApi('/shell/assistants/$id');

/** The editor of one assistant, once it is read. */
export function AssistantPage() {
  const { id } = route.useParams();
  const assistant = useQuery(assistantQuery(id));
  useGoneDrafts(draftName(id), !assistant.data && isNotFound(assistant.error));
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
