import { Button, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { lazyComponent } from '../lazy-component.tsx';
import type { Choice } from './choices.tsx';
import styles from './filter-bar.module.css';
import { FilterChip } from './filter-chip.tsx';

const OneChoice = lazyComponent(() => import('./choices.tsx'), 'OneChoice');

export type Filter =
  | { kind: 'text'; name: string; label: string }
  | { kind: 'one'; name: string; label: string; options: readonly Choice[] };

type Values = Readonly<Record<string, unknown>>;

type Props = {
  filters: readonly Filter[];
  /** The search of the URL. */
  values: Values;
  /** Changes the search of the URL: `navigate({ search: (former) => ({ ...former, ...changes }), replace: true })`. */
  onChange: (changes: Record<string, string | undefined>) => void;
};

/** Filters of a list, kept in the URL so that a view can be shared and come back to. `/` focuses the first text field. */
export function FilterBar({ filters, values, onChange }: Props) {
  const isActive = filters.some(({ name }) => values[name] !== undefined);
  const clear = () => onChange(Object.fromEntries(filters.map(({ name }) => [name, undefined])));
  return (
    <search className={styles.bar}>
      {filters.map((filter) => (
        <Field key={filter.label} filter={filter} values={values} onChange={onChange} />
      ))}
      {isActive ? (
        <Button variant="subtle" color="gray" leftSection={<IconX size={14} />} onClick={clear}>
          Clear
        </Button>
      ) : null}
    </search>
  );
}

export function isFiltered(filters: readonly Filter[], values: Values): boolean {
  return filters.some(({ name }) => values[name] !== undefined);
}

type FieldProps = Omit<Props, 'filters'> & { filter: Filter };

function Field({ filter, values, onChange }: FieldProps) {
  const { name, label } = filter;
  const value = asText(values[name]);
  if (filter.kind === 'text')
    return <TextFilter name={name} label={label} value={value} onChange={onChange} />;
  return (
    <FilterChip
      label={label}
      value={filter.options.find((option) => option.value === value)?.label}
      onClear={() => onChange({ [name]: undefined })}
    >
      {(close) => (
        <OneChoice
          name={label}
          choices={filter.options}
          chosen={value || undefined}
          onChange={(chosen) => {
            onChange({ [name]: chosen });
            close();
          }}
        />
      )}
    </FilterChip>
  );
}

const TYPING_MS = 250;

type TextProps = { name: string; label: string; value: string; onChange: Props['onChange'] };

function TextFilter({ name, label, value, onChange }: TextProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange({ [name]: typed || undefined }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, value, name, onChange]);
  return (
    <TextInput
      className={styles.text}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      data-search
    />
  );
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
