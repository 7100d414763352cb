import { Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { differences, merge } from './differences.ts';
import type { Draft } from './use-draft.ts';

type Props<T> = {
  draft: Draft<T>;
  /** "this assistant" */
  what: string;
};

/**
 * Appears when somebody else has saved a new version while this one is being edited. Shows what differs, and either joins both (mine wins
 * where both changed the same field) or takes theirs. Nothing is lost: the draft stays until the person decides.
 */
export function ConflictDialog<T>({ draft, what }: Props<T>) {
  const { theirs, base, value } = draft;
  const [seen, setSeen] = useState<T>();
  if (theirs === undefined) return null;
  const changed = differences(base, theirs);
  return (
    <Modal
      opened={seen !== theirs}
      onClose={() => setSeen(theirs)}
      title="Changed by somebody else"
      size="lg"
    >
      <Stack>
        <Text size="sm">
          Since you began to edit {what}, a new version was saved. These fields have changed; your own changes
          are still here.
        </Text>
        <Table.ScrollContainer minWidth={420} maxHeight={320}>
          <Table fz="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Theirs</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map(({ path, theirs: their }) => (
                <Table.Tr key={path}>
                  <Table.Td>
                    <Code>{path}</Code>
                  </Table.Td>
                  <Table.Td>{short(at(value, path))}</Table.Td>
                  <Table.Td>{short(their)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => draft.rebase(theirs)}>
            Discard mine, use theirs
          </Button>
          <Button onClick={() => draft.rebase(theirs, merge(base, value, theirs))} data-autofocus>
            Keep mine and add theirs
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value);
}

const MAX_SHOWN = 160;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
