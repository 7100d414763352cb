import { Loader, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../app/client.ts';
import { describeError } from '../../../app/describe-error.ts';
import { formatPhone } from '../../../app/format-phone.ts';
import { TextLink } from '../../calls/links.tsx';
import type { CampaignDraft, Problems } from './campaign-draft.ts';

type Props = {
  draft: CampaignDraft;
  onChange: (changed: Partial<CampaignDraft>) => void;
  problems: Problems;
};

const SIZE = 50;
const SEARCH_DELAY_MS = 250;

/** Name, assistant and number of a campaign. */
export function CallerStep({ draft, onChange, problems }: Props) {
  const assistants = useSearch('assistants', async (search, signal) => {
    const { items } = await api.assistants.list({ size: SIZE, ...search }, { signal });
    return items.map(({ id, agent_name }) => ({ value: id, label: agent_name }));
  });
  const numbers = useSearch('numbers', async (search, signal) => {
    const { items } = await api.phoneNumbers.list({ size: SIZE, ...search }, { signal });
    return items.map(({ phone_number, nickname, is_active, max_cps }) => ({
      value: phone_number,
      label: [formatPhone(phone_number), nickname, `${max_cps} a second`, is_active ? undefined : 'inactive']
        .filter((part) => part !== undefined && part !== null)
        .join(' · '),
      disabled: !is_active,
    }));
  });
  return (
    <Stack gap="md" maw={520}>
      <TextInput
        label="Name"
        placeholder="Reminders for March"
        maxLength={255}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problems.name}
        data-autofocus
      />
      <Select
        label="Assistant"
        description="Who talks to the contacts"
        placeholder="Choose an assistant"
        {...assistants.props}
        value={draft.agentId}
        onChange={(agentId) => onChange({ agentId })}
        error={problems.agentId ?? assistants.error}
      />
      {assistants.isEmpty ? (
        <Text size="sm">
          There is no assistant yet. <TextLink to="/assistants">Create one</TextLink> first; what you typed
          stays here.
        </Text>
      ) : null}
      <Select
        label="Number"
        description="What the contacts see, and how fast it may dial"
        placeholder="Choose a number"
        {...numbers.props}
        value={draft.phoneNumber}
        onChange={(phoneNumber) => onChange({ phoneNumber })}
        error={problems.phoneNumber ?? numbers.error}
      />
      {numbers.isEmpty ? (
        <Text size="sm">
          There is no number yet. <TextLink to="/numbers">Connect one</TextLink> first; what you typed stays
          here.
        </Text>
      ) : null}
    </Stack>
  );
}

type Option = { value: string; label: string; disabled?: boolean };

/** A select whose options are searched on the platform. */
function useSearch(
  area: string,
  request: (search: { search?: string }, signal: AbortSignal) => Promise<Option[]>,
) {
  const [text, setText] = useState('');
  const [term] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const found = useQuery({
    queryKey: [area, 'options', term],
    queryFn: ({ signal }) => request(term === '' ? {} : { search: term }, signal),
    placeholderData: keepPreviousData,
  });
  const data = found.data ?? [];
  return {
    isEmpty: found.isSuccess && term === '' && data.length === 0,
    error: found.isError ? describeError(found.error).message : undefined,
    props: {
      data,
      searchable: true,
      // A chosen label is no search.
      onSearchChange: (next: string) => setText(data.some(({ label }) => label === next) ? '' : next),
      filter: ({ options }: { options: unknown }) => options as never,
      nothingFoundMessage: found.isPending ? 'Loading …' : 'Nothing found',
      rightSection: found.isFetching ? <Loader size={14} aria-label="Loading" /> : undefined,
    },
  };
}
