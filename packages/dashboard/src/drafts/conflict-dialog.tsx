import { Button, Code, Group, ScrollArea, Stack, Table, Text } from '@mantine/core';
import { Modal } from '../components/dialog.tsx';
import { clashes } from './differences.ts';

type Props = {
  /** What both versions were made from. */
  base: unknown;
  mine: unknown;
  theirs: unknown;
  /** "this number" */
  what: string;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
  /** Decide later. */
  onClose: () => void;
};

/**
 * Both versions of what two people have changed: either mine or theirs is taken. Nothing is lost: the draft stays until the person
 * decides.
 */
export function ConflictDialog({ base, mine, theirs, what, onTakeTheirs, onKeepMine, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title="Changed by somebody else" size="lg">
      <Stack>
        <Text size="sm">
          Since you began to edit {what}, a new version was saved, and you both changed the following. Your
          changes are still here; nothing is saved until you save.
        </Text>
        <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0 }}>
          <Table fz="xs" miw={420}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Field</Table.Th>
                <Table.Th>Yours</Table.Th>
                <Table.Th>Theirs</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {clashes(base, mine, theirs).map(({ path, mine: my, theirs: their }) => (
                <Table.Tr key={path}>
                  <Table.Td>
                    <Code>{path}</Code>
                  </Table.Td>
                  <Table.Td>{short(my)}</Table.Td>
                  <Table.Td>{short(their)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onTakeTheirs}>
            Discard mine, use theirs
          </Button>
          <Button onClick={onKeepMine} data-autofocus>
            Keep mine and add theirs
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const MAX_SHOWN = 160;

function short(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
