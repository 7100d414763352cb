import { ActionIcon, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';

/** `isStored`: the platform has a value, which it never shows; it is kept while none is typed. */
export type HeaderRow = { name: string; value: string; isStored: boolean };

const MASK = '********';

export function toHeaderRows(headers: Readonly<Record<string, unknown>> | null): HeaderRow[] {
  return Object.keys(headers ?? {}).map((name) => ({ name, value: '', isStored: true }));
}

export function toHeaders(rows: readonly HeaderRow[]): Record<string, string> {
  const named = rows.filter(({ name }) => name.trim() !== '');
  return Object.fromEntries(
    named.map(({ name, value, isStored }) => [name.trim(), value === '' && isStored ? MASK : value]),
  );
}

type Props = {
  rows: readonly HeaderRow[];
  onChange(rows: HeaderRow[]): void;
  /** The endpoint moves to another server, which must not get the stored values unasked. */
  hasMoved: boolean;
  errorOf(name: string): string | undefined;
};

/** Headers that every request of a tool carries. */
export function HeaderRows({ rows, onChange, hasMoved, errorOf }: Props) {
  const change = (i: number, next: Partial<HeaderRow>) =>
    onChange(rows.map((row, k) => (k === i ? { ...row, ...next } : row)));
  return (
    <Stack gap="xs">
      <div>
        <Text fw={500} size="sm">
          Headers
        </Text>
        <Text size="xs" c="dimmed">
          Sent with every request, such as an Authorization. Values are stored encrypted and never shown
          again.
        </Text>
      </div>
      {rows.map((row, i) => (
        <Group key={i} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            aria-label={`Name of header ${i + 1}`}
            placeholder="Authorization"
            value={row.name}
            onChange={(event) => change(i, { name: event.currentTarget.value, isStored: false })}
            style={{ flex: 1 }}
          />
          <PasswordInput
            aria-label={`Value of header ${row.name || i + 1}`}
            placeholder={row.isStored ? '•••••••• (stored)' : 'Bearer …'}
            value={row.value}
            onChange={(event) => change(i, { value: event.currentTarget.value })}
            error={
              errorOf(row.name) ??
              (hasMoved && row.isStored && row.value === '' ? 'Enter it again for the new server' : undefined)
            }
            autoComplete="new-password"
            style={{ flex: 1.4 }}
          />
          <ActionIcon
            mt={4}
            aria-label={`Remove header ${row.name || i + 1}`}
            onClick={() => onChange(rows.filter((_, k) => k !== i))}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      ))}
      <div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...rows, { name: '', value: '', isStored: false }])}
        >
          Add header
        </Button>
      </div>
    </Stack>
  );
}
