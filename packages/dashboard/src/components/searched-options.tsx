import { ActionIcon, Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../app/client.ts';
import { describeError } from '../app/describe-error.ts';
import { formatPhone } from '../app/format-phone.ts';

const SIZE = 50;
const SEARCH_DELAY_MS = 250;

type Option = { value: string; label: string; disabled?: boolean };
type Offered = {
  /** Always at the top, such as `None`. */
  first?: readonly Option[];
  /** Ids that are chosen: they have an option, whatever is searched. */
  chosen?: readonly string[];
};

const NONE: readonly never[] = [];

/** Assistants by id, for a `Select`. */
export function useAssistantOptions({ first = NONE, chosen = NONE }: Offered = {}) {
  const search = useSearch(
    'assistants',
    async (text, signal) => {
      const { items } = await api.assistants.list({ size: SIZE, ...text }, { signal });
      return items.map(({ id, agent_name }) => ({ value: id, label: agent_name }));
    },
    first,
  );
  // Names of chosen ones that no search has found.
  const unknown = search.isPending ? [] : chosen.filter((id) => !search.labels.has(id));
  const names = useQueries({
    queries: unknown.map((id) => ({
      queryKey: ['assistant', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.assistants.get(id, { signal }),
    })),
  });
  const { props } = search;
  const ids = new Set(props.data.map(({ value }) => value));
  const more = chosen
    .filter((id) => !ids.has(id))
    .map((id) => {
      const asked = names[unknown.indexOf(id)];
      const name = search.labels.get(id) ?? asked?.data?.agent_name ?? (asked?.isError ? id : '…');
      search.offered.add(name);
      return { value: id, label: name };
    });
  return { ...search, props: { ...props, data: [...props.data, ...more] } };
}

/** Numbers that can place calls, for a `Select`; inactive ones are disabled. The chosen one has an option, whatever is searched. */
export function useNumberOptions(chosen: string | null) {
  const search = useSearch('numbers', async (text, signal) => {
    const { items } = await api.phoneNumbers.list({ size: SIZE, ...text }, { signal });
    return items.map(({ phone_number, nickname, is_active, max_cps }) => ({
      value: phone_number,
      label: [formatPhone(phone_number), nickname, `${max_cps} a second`, is_active ? undefined : 'inactive']
        .filter((part) => part !== undefined && part !== null)
        .join(' · '),
      disabled: !is_active,
    }));
  });
  const { props, labels, offered } = search;
  if (chosen === null || props.data.some(({ value }) => value === chosen)) return search;
  const label = labels.get(chosen) ?? formatPhone(chosen);
  offered.add(label);
  return { ...search, props: { ...props, data: [...props.data, { value: chosen, label }] } };
}

/** A select whose options are searched on the platform. */
function useSearch(
  area: string,
  request: (search: { search?: string }, signal: AbortSignal) => Promise<Option[]>,
  first: readonly Option[] = NONE,
) {
  const [text, setText] = useState('');
  const [term] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const found = useQuery({
    queryKey: [area, 'options', term],
    queryFn: ({ signal }) => request(term === '' ? {} : { search: term }, signal),
    placeholderData: keepPreviousData,
  });
  const data = [...first, ...(found.data ?? [])];
  /** All that were offered, by value. */
  const labels = useRef(new Map<string, string>()).current;
  /** Their labels, and those of chosen options. */
  const offered = useRef(new Set<string>()).current;
  for (const { value, label } of data) {
    labels.set(value, label);
    offered.add(label);
  }
  return {
    isEmpty: found.isSuccess && term === '' && found.data.length === 0,
    isPending: found.isPending,
    error: found.isError ? describeError(found.error).message : undefined,
    labels: labels as ReadonlyMap<string, string>,
    offered,
    props: {
      data,
      searchable: true,
      // A chosen label is no search.
      onSearchChange: (next: string) => setText(offered.has(next) ? '' : next),
      filter: ({ options }: { options: unknown }) => options as never,
      nothingFoundMessage: found.isPending ? 'Loading …' : 'Nothing found',
      ...sideOf(found),
    },
  };
}

/** At the end of the field: that its options are loading, or a way to try again. */
function sideOf({
  isFetching,
  isError,
  refetch,
}: {
  isFetching: boolean;
  isError: boolean;
  refetch(): unknown;
}) {
  if (isFetching) return { rightSection: <Loader size={14} aria-label="Loading" /> };
  if (!isError) return {};
  return {
    rightSectionPointerEvents: 'all' as const,
    rightSection: (
      <ActionIcon size="sm" aria-label="Try again" onClick={() => void refetch()}>
        <IconRefresh size={14} />
      </ActionIcon>
    ),
  };
}
