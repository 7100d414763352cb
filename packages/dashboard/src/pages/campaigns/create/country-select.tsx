import { Select } from '@mantine/core';
import { COUNTRY_CODES } from './country-codes.ts';

type Props = { value: string; onChange: (code: string) => void };

/** The country of numbers that are written without one. */
export function CountrySelect({ value, onChange }: Props) {
  return (
    <Select
      label="Country of numbers without a country code"
      data={COUNTRY_CODES.map(([code, label]) => ({ value: code, label }))}
      value={value}
      onChange={(code) => onChange(code ?? '')}
      searchable
      allowDeselect={false}
      w={300}
      maw="100%"
    />
  );
}
