import '@mantine/dates/styles.css';
import { DatePickerInput } from '@mantine/dates';
import { IconCalendar } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

type Props = {
  label: string;
  from: string | undefined;
  to: string | undefined;
  onChange: (from: string | undefined, to: string | undefined) => void;
};

/** The first and the last day of a range. */
export function DayRange({ label, from, to, onChange }: Props) {
  const [range, setRange] = useState<[string | null, string | null]>([from ?? null, to ?? null]);
  useEffect(() => setRange([from ?? null, to ?? null]), [from, to]);
  return (
    <DatePickerInput
      type="range"
      aria-label={label}
      placeholder={label}
      valueFormat="D MMM"
      leftSection={<IconCalendar size={16} />}
      value={range}
      allowSingleDateInRange
      clearable
      w={210}
      onChange={([first, last]) => {
        setRange([first, last]);
        // Half of a range is not a filter yet.
        if ((first === null) === (last === null)) onChange(first ?? undefined, last ?? undefined);
      }}
    />
  );
}
