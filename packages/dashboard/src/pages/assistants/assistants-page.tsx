import { Group, Text } from '@mantine/core';
import { IconMessageChatbot } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { SearchedList } from '../../components/data-list/searched-list.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Page } from '../../components/page.tsx';
import { Phone } from '../../components/phone.tsx';
import { Time } from '../../components/time.tsx';
import { readDraft } from '../../drafts/draft-storage.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { StatusPill } from '../calls/status-pill.tsx';
import { AssistantActions } from './assistant-actions.tsx';
import { CreateAssistant } from './create-assistant.tsx';
import { draftName } from './model/draft.ts';
import { type AssistantListItem, type Voice, voicesQuery } from './queries.ts';

const route = getRouteApi('/shell/assistants');

export function AssistantsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: voices = [] } = useQuery(voicesQuery);
  const columns = useMemo(() => columnsOf(voices), [voices]);
  return (
    <Page
      title="Assistants"
      description="Who talks on your calls: prompt, voice, tools and knowledge."
      actions={<CreateAssistant />}
    >
      <SearchedList
        label="Assistants"
        noun="assistant"
        columns={columns}
        itemKey={({ id }) => id}
        link={({ id }) => ({ to: '/assistants/$id', params: { id }, search: {} })}
        search={search.search}
        onSearch={(text) =>
          void navigate({ search: (former) => ({ ...former, search: text }), replace: true })
        }
        queryKey={['assistants', 'list']}
        request={(query, page, signal) =>
          api.assistants.list({ ...query, size: 50, ...(page ? { page } : {}) }, { signal })
        }
        empty={
          <EmptyState
            icon={<IconMessageChatbot size={22} />}
            title="Create your first assistant"
            actions={<CreateAssistant label="Create an assistant" />}
          >
            Begin with a template, talk to it here by text or voice, and change it until you like it. Then
            give it a number, or a campaign.
          </EmptyState>
        }
      />
    </Page>
  );
}

function columnsOf(voices: readonly Voice[]): Column<AssistantListItem>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      render: ({ id, agent_name: name }) => (
        <Group component="span" gap={8} wrap="nowrap" style={{ display: 'inline-flex' }}>
          <span className="truncate">{name}</span>
          <UnsavedNote id={id} />
        </Group>
      ),
    },
    {
      id: 'prompt',
      header: 'Prompt',
      isWideOnly: true,
      render: ({ config }) => <Prompt text={config.systemPrompt} />,
    },
    { id: 'voice', header: 'Voice', width: 100, render: ({ config }) => voiceName(config.voice, voices) },
    {
      id: 'inbound',
      header: 'Answers',
      width: 160,
      render: ({ inbound_phone_number: number }) => <Phone number={number} />,
    },
    {
      id: 'outbound',
      header: 'Calls from',
      width: 160,
      render: ({ outbound_phone_number: number }) => <Phone number={number} />,
    },
    {
      id: 'updated',
      header: 'Changed',
      width: 130,
      render: ({ updated_at }) => <Time at={updated_at} as="relative" />,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: 90,
      align: 'right',
      render: ({ id, agent_name }) => <AssistantActions id={id} name={agent_name} />,
    },
  ];
}

/** No window is wider, and laying out whole prompts takes longer than the rest of the page. */
const SHOWN_CHARACTERS = 400;

function Prompt({ text }: { text: string }) {
  const words = text.replace(/^#.*$/gm, '').replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS);
  return (
    <Text span size="sm" c="dimmed" title={words}>
      {words}
    </Text>
  );
}

function voiceName(voice: Readonly<Record<string, unknown>>, voices: readonly Voice[]): string {
  return (
    voices.find(({ voice_id }) => voice_id === voice.voiceId)?.voice_name ?? String(voice.voiceId ?? '–')
  );
}

function UnsavedNote({ id }: { id: string }) {
  const key = useDraftKey(draftName(id));
  return readDraft(key) === undefined ? null : <StatusPill tone="warn">unsaved changes</StatusPill>;
}
