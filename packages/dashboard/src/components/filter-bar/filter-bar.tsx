import { Button, MultiSelect, Select, Skeleton, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import styles from './filter-bar.module.css';

/** The calendar is a heavy part, which lists without dates never load. */
const DayRange = lazy(() =>
  import('./day-range.tsx').then(({ DayRange: component }) => ({ default: component })),
);

type Option = { value: string; label: string };
export type Filter =
  | { kind: 'text'; name: string; label: string }
  | { kind: 'one'; name: string; label: string; options: readonly Option[] }
  | { kind: 'some'; name: string; label: string; options: readonly Option[] }
  /** Two values: the first and the last day (`2026-03-14`). */
  | { kind: 'days'; from: string; to: string; label: string };

type Values = Readonly<Record<string, unknown>>;

type Props = {
  filters: readonly Filter[];
  /** The search of the URL. */
  values: Values;
  /** Changes the search of the URL: `navigate({ search: (former) => ({ ...former, ...changes }), replace: true })`. */
  onChange: (changes: Record<string, string | string[] | undefined>) => void;
};

/** Filters of a list, kept in the URL so that a view can be shared and come back to. `/` focuses the first text field. */
export function FilterBar({ filters, values, onChange }: Props) {
  const isActive = filters.some((filter) => namesOf(filter).some((name) => values[name] !== undefined));
  const clear = () => onChange(Object.fromEntries(filters.flatMap(namesOf).map((name) => [name, undefined])));
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
  return filters.some((filter) => namesOf(filter).some((name) => values[name] !== undefined));
}

function namesOf(filter: Filter): string[] {
  return filter.kind === 'days' ? [filter.from, filter.to] : [filter.name];
}

type FieldProps = Omit<Props, 'filters'> & { filter: Filter };

function Field({ filter, values, onChange }: FieldProps) {
  switch (filter.kind) {
    case 'text':
      return <TextFilter {...filter} value={asText(values[filter.name])} onChange={onChange} />;
    case 'one':
      return (
        <Select
          className={styles.choice}
          aria-label={filter.label}
          placeholder={filter.label}
          data={[...filter.options]}
          value={asText(values[filter.name]) || null}
          onChange={(value) => onChange({ [filter.name]: value ?? undefined })}
          clearable
          searchable={filter.options.length > 8}
        />
      );
    case 'some': {
      const chosen = asList(values[filter.name]);
      return (
        <MultiSelect
          className={styles.choice}
          aria-label={filter.label}
          placeholder={chosen.length === 0 ? filter.label : undefined}
          data={[...filter.options]}
          value={chosen}
          onChange={(value) => onChange({ [filter.name]: value.length > 0 ? value : undefined })}
          clearable
          searchable={filter.options.length > 8}
        />
      );
    }
    case 'days':
      return (
        <Suspense fallback={<Skeleton className={styles.choice} height={36} />}>
          <DayRange
            label={filter.label}
            from={asText(values[filter.from]) || undefined}
            to={asText(values[filter.to]) || undefined}
            onChange={(from, to) => onChange({ [filter.from]: from, [filter.to]: to })}
          />
        </Suspense>
      );
  }
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
const asList = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.filter((item) => typeof item === 'string')
    : asText(value)
      ? [asText(value)]
      : [];
