import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { PERIODS, type Period } from './call-search.ts';
import { PERIOD_WORDS } from './days-in-words.ts';

type NumbersProps = {
  unit: string;
  /** What one of the shown unit is in that of the URL: 100 cents of a dollar. */
  factor: number;
  decimals: number;
  min: number | undefined;
  max: number | undefined;
  onApply: (min: number | undefined, max: number | undefined) => void;
};

/** A minimum and a maximum. */
export function NumberRange({ unit, factor, decimals, min, max, onApply }: NumbersProps) {
  const [from, setFrom] = useState<number | string>(min === undefined ? '' : min / factor);
  const [to, setTo] = useState<number | string>(max === undefined ? '' : max / factor);
  const value = (field: number | string) => (field === '' ? undefined : Math.round(Number(field) * factor));
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onApply(value(from), value(to));
  };
  const shared = { size: 'xs', min: 0, decimalScale: decimals, w: '8rem', hideControls: true } as const;
  return (
    <form onSubmit={apply}>
      <Group align="end" gap="xs" wrap="nowrap">
        <NumberInput label={`From (${unit})`} value={from} onChange={setFrom} data-autofocus {...shared} />
        <NumberInput label={`To (${unit})`} value={to} onChange={setTo} {...shared} />
        <Button type="submit" size="xs">
          Apply
        </Button>
      </Group>
    </form>
  );
}

type DaysProps = {
  period: Period | undefined;
  after: string | undefined;
  before: string | undefined;
  onChange: (chosen: {
    period?: Period | undefined;
    after?: string | undefined;
    before?: string | undefined;
  }) => void;
};

/** A period up to now, or days. */
export function DayRange({ period, after, before, onChange }: DaysProps) {
  return (
    <Stack gap="sm">
      <Group gap="xs">
        {PERIODS.map((choice) => (
          <Button
            key={choice}
            size="compact-xs"
            variant={choice === period ? 'filled' : 'default'}
            aria-pressed={choice === period}
            onClick={() => onChange({ period: choice })}
          >
            {PERIOD_WORDS[choice]}
          </Button>
        ))}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          type="date"
          size="xs"
          label="First day"
          value={after ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ after: value || undefined, before })}
        />
        <TextInput
          type="date"
          size="xs"
          label="Last day"
          value={before ?? ''}
          onChange={({ currentTarget: { value } }) => onChange({ after, before: value || undefined })}
        />
      </Group>
    </Stack>
  );
}
