import { Checkbox, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describeError } from '../../../app/describe-error.ts';
import styles from './filter-bar.module.css';

export type Choice = { value: string; label: string };

type Props = {
  name: string;
  chosen: readonly string[];
  onChange: (chosen: string[] | undefined) => void;
};

function toggled(chosen: readonly string[], value: string): string[] | undefined {
  const next = chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value];
  return next.length > 0 ? next : undefined;
}

/** A short list of which any number can be chosen. */
export function Choices({ name, choices, chosen, onChange }: Props & { choices: readonly Choice[] }) {
  return (
    <fieldset className={styles.choices} style={{ border: 0, padding: 0, margin: 0 }}>
      <legend className="visually-hidden">{name}</legend>
      {choices.map(({ value, label }) => (
        <Checkbox
          key={value}
          size="sm"
          label={label}
          checked={chosen.includes(value)}
          onChange={() => onChange(toggled(chosen, value))}
        />
      ))}
    </fieldset>
  );
}

const SEARCH_DELAY_MS = 250;

type SearchedProps = Props & {
  /** Key of the query, and what it asks for. */
  area: string;
  search: (text: string | undefined, signal: AbortSignal) => Promise<Choice[]>;
};

/** A list of the workspace that is searched on the platform. */
export function SearchedChoices({ area, search, name, chosen, onChange }: SearchedProps) {
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
