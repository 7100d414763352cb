import { Button, Group, Stack, Text } from '@mantine/core';
import { Modal } from '../components/dialog.tsx';

type Props = {
  /** "this assistant" */
  what: string;
  onDiscard: () => void;
  onLeave: () => void;
  /** Stays. */
  onClose: () => void;
};

/** The question of a `LeaveGuard`, which is loaded when it is asked. */
export function LeaveDialog({ what, onDiscard, onLeave, onClose }: Props) {
  return (
    <Modal opened onClose={onClose} title="You have unsaved changes">
      <Stack>
        <Text size="sm">
          The changes of {what} are not saved yet. A draft stays in this browser until you save or discard it.
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="red" onClick={onDiscard}>
            Discard changes
          </Button>
          <Button variant="default" onClick={onLeave}>
            Leave and keep the draft
          </Button>
          <Button onClick={onClose} data-autofocus>
            Stay
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
