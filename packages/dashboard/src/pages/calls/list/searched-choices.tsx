import { Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from '../../../app/describe-error.ts';
import { type Choice, Choices } from '../../../components/filter-bar/choices.tsx';

const SEARCH_DELAY_MS = 250;

type Props = {
  name: string;
  chosen: readonly string[];
  onChange: (chosen: string[] | undefined) => void;
  /** Key of the query, and what it asks for. */
  area: string;
  search: (text: string | undefined, signal: AbortSignal) => Promise<Choice[]>;
};

/** A list of the workspace that is searched on the platform. */
export function SearchedChoices({ area, search, name, chosen, onChange }: Props) {
  const [text, setText] = useState('');
  const [term] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const found = useQuery({
    queryKey: [area, 'choices', term],
    queryFn: ({ signal }) => search(term === '' ? undefined : term, signal),
    placeholderData: keepPreviousData,
  });
  return (
    <div>
      <TextInput
        size="xs"
        mb="sm"
        placeholder={`Search ${name.toLowerCase()}`}
        aria-label={`Search ${name.toLowerCase()}`}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      {found.isPending ? <Loader size="xs" aria-label="Loading" /> : null}
      {found.isError ? (
        <Text size="sm" c="red">
          {describeError(found.error).message}
        </Text>
      ) : null}
      {found.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing found
        </Text>
      ) : null}
      <Choices name={name} choices={found.data ?? []} chosen={chosen} onChange={onChange} />
    </div>
  );
}
