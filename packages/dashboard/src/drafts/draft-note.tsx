import { Alert, Button, Group, Text } from '@mantine/core';
import { notifyUndoable } from '../app/notify-undoable.ts';

type Props = {
  draft: { isRestored: boolean; discard: () => () => void };
  /** The form has secrets, which drafts leave out. */
  hasSecrets?: boolean;
  /** Below it, where its parent leaves no room. */
  mb?: 'md';
};

/** Says that a form shows what was typed on an earlier visit, and empties it on request. */
export function DraftNote({ draft, hasSecrets = false, mb }: Props) {
  if (!draft.isRestored) return null;
  return (
    <Alert variant="light" p="xs" mb={mb} role="status">
      <Group justify="space-between" gap={4}>
        <Text size="sm">
          This goes on from where you left.{hasSecrets ? ' Secrets are not kept: enter them again.' : ''}
        </Text>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => void notifyUndoable('What you had typed is discarded', draft.discard())}
        >
          Start over
        </Button>
      </Group>
    </Alert>
  );
}
