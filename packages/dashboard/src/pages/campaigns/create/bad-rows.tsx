import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { formatCount, plural } from '../../../app/format-number.ts';
import type { BadRow } from './check-contacts.ts';

const SHOWN = 100;

type Props = { bad: readonly BadRow[]; onCorrect: (row: number, number: string) => void };

/** What is wrong with which row, and a field to correct its number. */
export function BadRows({ bad, onCorrect }: Props) {
  if (bad.length === 0) return null;
  return (
    <section aria-label="Rows that cannot be called">
      <Group justify="space-between" mb="xs" gap="sm">
        <Text fw={600} size="sm">
          {plural(bad.length, 'row')} cannot be called
        </Text>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => download(bad)}
        >
          Download these rows
        </Button>
      </Group>
      <Table.ScrollContainer minWidth={480} maxHeight={380}>
        <Table verticalSpacing={6} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={64}>Row</Table.Th>
              <Table.Th w={210}>Phone number</Table.Th>
              <Table.Th>What is wrong</Table.Th>
              <Table.Th>Name</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {bad.slice(0, SHOWN).map((row) => (
              <Table.Tr key={row.row}>
                <Table.Td className="numeric">{row.row}</Table.Td>
                <Table.Td>
                  <NumberField row={row} onCorrect={onCorrect} />
                </Table.Td>
                <Table.Td>{row.problem}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{row.name || '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {bad.length > SHOWN ? (
        <Text size="xs" c="dimmed" mt="xs">
          and {formatCount(bad.length - SHOWN)} more, which the download contains
        </Text>
      ) : null}
    </section>
  );
}

/** Taken over when it is left: a row that disappears in the middle of a number would be a surprise. */
function NumberField({ row, onCorrect }: { row: BadRow; onCorrect: Props['onCorrect'] }) {
  const [number, setNumber] = useState(row.number);
  const apply = () => {
    if (number !== row.number) onCorrect(row.row, number);
  };
  return (
    <TextInput
      size="xs"
      aria-label={`Phone number of row ${row.row}`}
      value={number}
      onChange={(event) => setNumber(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
    />
  );
}

function download(bad: readonly BadRow[]): void {
  // A spreadsheet would run what begins like a formula.
  const cell = (value: string) => `"${value.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;
  const lines = bad.map(({ row, number, name, problem }) =>
    [String(row), number, name, problem].map(cell).join(','),
  );
  const url = URL.createObjectURL(
    new Blob([`\uFEFF${['row,phone_number,name,problem', ...lines].join('\r\n')}\r\n`], { type: 'text/csv' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = 'rows-that-cannot-be-called.csv';
  link.click();
  URL.revokeObjectURL(url);
}
