import { Box, Button, Code, Group, Radio, ScrollArea, SimpleGrid, Stack, Text } from '@mantine/core';
import { Modal } from '../../../components/dialog.tsx';
import { Time } from '../../../components/time.tsx';
import type { Draft } from '../model/draft.ts';
import { type JsonObject, withValueAt } from '../model/json.ts';
import { pathLabel } from './path-label.ts';
import type { Clash } from './use-assistant-draft.ts';

export type Choices = Readonly<Record<string, 'mine' | 'theirs'>>;

type Props = {
  clash: Clash;
  /** By path; mine without a choice. */
  chosen: Choices;
  onChoose(chosen: Choices): void;
  onClose(): void;
  onSettle(next: Draft): void;
};

/** Both versions of every value that two editors changed; each is chosen, and nothing is lost before that. */
export function ConflictDialog({ clash, chosen, onChoose, onClose, onSettle }: Props) {
  const choiceOf = (key: string) => chosen[key] ?? 'mine';
  const settle = () => {
    const next = clash.conflicts.reduce<JsonObject>(
      (draft, { path, theirs }) =>
        choiceOf(path.join('.')) === 'theirs' ? withValueAt(draft, path, theirs) : draft,
      clash.merged as JsonObject,
    );
    onSettle(next as Draft);
  };
  return (
    <Modal opened onClose={onClose} size="xl" title="Another person saved this assistant">
      <Text size="sm" mb="md">
        It was saved <Time at={clash.theirs.updated_at} as="relative" /> from another place, and you both
        changed the following. Choose what to keep. All other changes of both of you are already put together;
        nothing is saved until you save.
      </Text>
      <Stack gap="lg">
        {clash.conflicts.map(({ path, mine, theirs }) => {
          const key = path.join('.');
          return (
            <Radio.Group
              key={key}
              label={pathLabel(key)}
              value={choiceOf(key)}
              onChange={(value) => onChoose({ ...chosen, [key]: value === 'theirs' ? 'theirs' : 'mine' })}
            >
              <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt={6}>
                <Version value="mine" label="Yours" content={mine} />
                <Version value="theirs" label="Theirs" content={theirs} />
              </SimpleGrid>
            </Radio.Group>
          );
        })}
      </Stack>
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          Decide later
        </Button>
        <Button onClick={settle}>Go on with this</Button>
      </Group>
    </Modal>
  );
}

function Version({ value, label, content }: { value: string; label: string; content: unknown }) {
  return (
    <Box>
      <Radio value={value} label={label} mb={6} />
      <ScrollArea.Autosize mah={220} tabIndex={0}>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {content === undefined
            ? '(default)'
            : typeof content === 'string'
              ? content
              : JSON.stringify(content, null, 2)}
        </Code>
      </ScrollArea.Autosize>
    </Box>
  );
}
