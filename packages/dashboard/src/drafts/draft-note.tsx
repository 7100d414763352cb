import { Alert, Button, Group, Text } from '@mantine/core';

type Props = {
  draft: { isRestored: boolean; discard: () => void };
  /** The form has secrets, which drafts leave out. */
  hasSecrets?: boolean;
};

/** Says that a form shows what was typed on an earlier visit, and empties it on request. */
export function DraftNote({ draft, hasSecrets = false }: Props) {
  if (!draft.isRestored) return null;
  return (
    <Alert variant="light" p="xs" role="status">
      <Group justify="space-between">
        <Text size="sm">
          This goes on from where you left.{hasSecrets ? ' Secrets were not kept: enter them again.' : ''}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={draft.discard}>
          Start over
        </Button>
      </Group>
    </Alert>
  );
}
