import { Button, CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { api } from '../../../app/client.ts';
import { formatCents } from '../../../app/format-number.ts';
import { formatPhone } from '../../../app/format-phone.ts';
import { duration as formatDuration } from '../../../app/format-time.ts';
import { useCurrency } from '../../../app/workspace.ts';
import type { Choice } from '../../../components/filter-bar/choices.tsx';
import { FilterChip } from '../../../components/filter-bar/filter-chip.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { numberProblem, plainNumber } from '../../numbers/checks.ts';
import { endingOf, REASONS } from '../how-it-ended.ts';
import { TYPE_WORDS } from '../parties.ts';
import { CALL_TYPES, type CallSearch, isFiltered } from './call-search.ts';
import { daysInWords } from './days-in-words.ts';
import styles from './filter-bar.module.css';

const panels = () => import('./filter-panels.ts');
const Choices = lazyComponent(panels, 'Choices');
const SearchedChoices = lazyComponent(panels, 'SearchedChoices');
const DayRange = lazyComponent(panels, 'DayRange');
const NumberRange = lazyComponent(panels, 'NumberRange');

type Props = {
  search: CallSearch;
  /** Changes some of the filters; undefined removes one. */
  onChange: (changed: CallSearch) => void;
  onClear: () => void;
  children: ReactNode;
};

const SEARCH_DELAY_MS = 300;
const SIZE = 50;

/** Every filter of the list of calls. */
export function FilterBar({ search, onChange, onClear, children }: Props) {
  const currency = useCurrency();
  const { type, agent, campaign, from, reason } = search;
  return (
    <search className={styles.bar}>
      <SearchField value={search.q} onChange={(q) => onChange({ q })} />
      <FilterChip
        label="Date"
        value={daysInWords({ period: search.period, after: search.after, before: search.before })}
        onClear={() => onChange({ period: undefined, after: undefined, before: undefined })}
      >
        <DayRange
          period={search.period}
          after={search.after}
          before={search.before}
          onChange={(days) => onChange({ period: undefined, after: undefined, before: undefined, ...days })}
        />
      </FilterChip>
      <FilterChip
        label="Outcome"
        value={inWords(reason, (value) => endingOf(value).label)}
        onClear={() => onChange({ reason: undefined })}
      >
        <Choices
          name="Outcomes"
          choices={REASONS.map((value) => ({ value, label: endingOf(value).label }))}
          chosen={reason ?? []}
          onChange={(chosen) => onChange({ reason: chosen })}
        />
      </FilterChip>
      <FilterChip
        label="Type"
        value={inWords(type, (value) => TYPE_WORDS[value])}
        onClear={() => onChange({ type: undefined })}
      >
        <Choices
          name="Types"
          choices={CALL_TYPES.map((value) => ({ value, label: TYPE_WORDS[value] }))}
          chosen={type ?? []}
          onChange={(chosen) => onChange({ type: CALL_TYPES.filter((value) => chosen?.includes(value)) })}
        />
      </FilterChip>
      <FilterChip label="Assistant" value={counted(agent)} onClear={() => onChange({ agent: undefined })}>
        <SearchedChoices
          area="assistants"
          name="Assistants"
          search={searchAssistants}
          chosen={agent ?? []}
          onChange={(chosen) => onChange({ agent: chosen })}
        />
      </FilterChip>
      <FilterChip
        label="Campaign"
        value={counted(campaign)}
        onClear={() => onChange({ campaign: undefined })}
      >
        <SearchedChoices
          area="campaigns"
          name="Campaigns"
          search={searchCampaigns}
          chosen={campaign ?? []}
          onChange={(chosen) => onChange({ campaign: chosen })}
        />
      </FilterChip>
      <FilterChip
        label="From number"
        value={inWords(from, formatPhone)}
        onClear={() => onChange({ from: undefined })}
      >
        <SearchedChoices
          area="numbers"
          name="Numbers"
          search={searchNumbers}
          chosen={from ?? []}
          onChange={(chosen) => onChange({ from: chosen })}
        />
      </FilterChip>
      <FilterChip
        label="Duration"
        value={rangeWords(search.min_seconds, search.max_seconds, formatDuration)}
        onClear={() => onChange({ min_seconds: undefined, max_seconds: undefined })}
      >
        <NumberRange
          unit="seconds"
          factor={1}
          decimals={0}
          min={search.min_seconds}
          max={search.max_seconds}
          onApply={(min_seconds, max_seconds) => onChange({ min_seconds, max_seconds })}
        />
      </FilterChip>
      <FilterChip
        label="Cost"
        value={rangeWords(search.min_cents, search.max_cents, (cents) => formatCents(cents, currency))}
        onClear={() => onChange({ min_cents: undefined, max_cents: undefined })}
      >
        <NumberRange
          unit={currency}
          factor={100}
          decimals={2}
          min={search.min_cents}
          max={search.max_cents}
          onApply={(min_cents, max_cents) => onChange({ min_cents, max_cents })}
        />
      </FilterChip>
      {isFiltered(search) ? (
        <Button variant="subtle" size="xs" onClick={onClear}>
          Clear all
        </Button>
      ) : null}
      <div className={styles.end}>{children}</div>
    </search>
  );
}

function SearchField({
  value,
  onChange,
}: {
  value: string | undefined;
  onChange: (q: string | undefined) => void;
}) {
  const [text, setText] = useState(value ?? '');
  const apply = useDebouncedCallback((next: string) => onChange(next.trim() || undefined), SEARCH_DELAY_MS);
  // The URL may change by itself: back, a link, or all filters removed.
  useEffect(() => setText((typed) => (typed.trim() === (value ?? '') ? typed : (value ?? ''))), [value]);
  const change = (next: string) => {
    setText(next);
    apply(next);
  };
  return (
    <TextInput
      className={styles.search}
      size="xs"
      placeholder="Called number or call id"
      aria-label="Search by called number or call id"
      leftSection={<IconSearch size={14} aria-hidden />}
      rightSection={
        text === '' ? (
          <Kbd size="xs">/</Kbd>
        ) : (
          <CloseButton size="xs" aria-label="Clear the search" onClick={() => change('')} />
        )
      }
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      data-search
    />
  );
}

function inWords<T extends string>(
  values: readonly T[] | undefined,
  word: (value: T) => string,
): string | undefined {
  const [first, ...others] = values ?? [];
  if (first === undefined) return undefined;
  return others.length === 0 ? word(first) : `${word(first)} +${others.length}`;
}

const counted = (values: readonly string[] | undefined): string | undefined =>
  values && values.length > 0 ? String(values.length) : undefined;

function rangeWords(
  min: number | undefined,
  max: number | undefined,
  word: (value: number) => string,
): string | undefined {
  if (min !== undefined && max !== undefined) return `${word(min)} – ${word(max)}`;
  if (min !== undefined) return `from ${word(min)}`;
  return max === undefined ? undefined : `up to ${word(max)}`;
}

async function searchAssistants(text: string | undefined, signal: AbortSignal): Promise<Choice[]> {
  const { items } = await api.assistants.list({ size: SIZE, ...(text ? { search: text } : {}) }, { signal });
  return items.map(({ id, agent_name }) => ({ value: id, label: agent_name }));
}

async function searchCampaigns(text: string | undefined, signal: AbortSignal): Promise<Choice[]> {
  const { items } = await api.campaigns.list({ limit: SIZE, ...(text ? { search: text } : {}) }, { signal });
  return items.map(({ campaign_id, campaign_name }) => ({ value: campaign_id, label: campaign_name }));
}

async function searchNumbers(text: string | undefined, signal: AbortSignal): Promise<Choice[]> {
  const { items } = await api.phoneNumbers.list(
    { size: SIZE, ...(text ? { search: text } : {}) },
    { signal },
  );
  const found = items.map(({ phone_number, nickname }) => ({
    value: phone_number,
    label: nickname ? `${formatPhone(phone_number)} · ${nickname}` : formatPhone(phone_number),
  }));
  // One that was deleted, or that belongs to a caller, has calls as well.
  const typed = plainNumber(text ?? '');
  const isOther =
    typed !== '' && numberProblem(typed) === undefined && !found.some(({ value }) => value === typed);
  return isOther ? [{ value: typed, label: formatPhone(typed) }, ...found] : found;
}
